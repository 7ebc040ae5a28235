/** An element that has something to tell, and on which side of it. */
export interface ShownTip {
  readonly target: HTMLElement;
  readonly label: string;
  readonly side: 'top' | 'right';
}

/** Where the pointer is, and where the keyboard has led. */
interface Attention {
  readonly hovered?: HTMLElement | undefined;
  readonly focused?: HTMLElement | undefined;
}

/** Passing over something is no question about it. */
const restMs = 350;

/**
 * Tells which tip is to be seen, undefined for none: that of the element with `data-tip` on which a pointer or the
 * keyboard's focus has rested; the pointer's goes before the keyboard's. It goes with the pointer and the focus, by
 * Escape, and while its element has something
 * open (`aria-expanded`); a label that changes meanwhile, such as Copied, is told anew. Returns what ends it.
 */
export function watchTips(tell: (tip: ShownTip | undefined) => void): () => void {
  let target: HTMLElement | undefined;
  let shown: ShownTip | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  const show = (tip: ShownTip | undefined): void => {
    if (tip?.target === shown?.target && tip?.label === shown?.label) return;
    shown = tip;
    tell(tip);
  };
  const look = (): void => show(target && tipOf(target));
  const changes = new MutationObserver(look);
  const rested = (): void => {
    look();
    if (target === undefined) return;
    changes.observe(target, { attributeFilter: ['data-tip', 'aria-expanded'] });
    // An element that goes away says nothing to the pointer that is still.
    changes.observe(document.body, { childList: true, subtree: true });
  };
  const turnTo = (next: HTMLElement | undefined): void => {
    if (next === target) return;
    clearTimeout(rest);
    changes.disconnect();
    target = next;
    // Whoever reads one tip is told the next at once.
    if (next === undefined || shown !== undefined) rested();
    else rest = setTimeout(rested, restMs);
  };
  let isByKey = false;
  let at: Attention = {};
  const turn = (change: Attention): void => {
    at = { ...at, ...change };
    turnTo(at.hovered ?? at.focused);
  };
  const none = { hovered: undefined, focused: undefined };
  const ends = new AbortController();
  const on = <Name extends keyof DocumentEventMap>(
    name: Name,
    act: (event: DocumentEventMap[Name]) => void,
  ): void => document.addEventListener(name, act, { signal: ends.signal, passive: true });
  on('pointerover', ({ target: over, pointerType }) => {
    if (pointerType !== 'touch') turn({ hovered: ownerOf(over) });
  });
  on('pointerdown', () => (isByKey = false));
  on('keydown', ({ key }) => {
    isByKey = key === 'Tab' || key.startsWith('Arrow');
    if (key === 'Escape') turn(none);
  });
  // A focus that is given back, by a dialog or by the system's next window, asks nothing.
  on('focusin', ({ target: place }) => {
    if (isByKey) turn({ focused: ownerOf(place) });
  });
  on('focusout', () => turn({ focused: undefined }));
  on('click', ({ target: place }) => {
    // What leads elsewhere has told what it had to tell.
    if (ownerOf(place) instanceof HTMLAnchorElement) turn(none);
  });
  document.documentElement.addEventListener('pointerleave', () => turn({ hovered: undefined }), {
    signal: ends.signal,
  });
  return () => {
    clearTimeout(rest);
    changes.disconnect();
    ends.abort();
  };
}

function ownerOf(place: EventTarget | null): HTMLElement | undefined {
  return place instanceof Element
    ? (place.closest<HTMLElement>('[data-tip]') ?? undefined)
    : undefined;
}

function tipOf(target: HTMLElement): ShownTip | undefined {
  const { tip: label, tipSide } = target.dataset;
  const isBusy = !target.isConnected || target.getAttribute('aria-expanded') === 'true';
  if (label === undefined || label === '' || isBusy) return undefined;
  return { target, label, side: tipSide === 'right' ? 'right' : 'top' };
}
