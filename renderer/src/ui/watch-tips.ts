/** An element with a tip, and the side for it. */
export interface ShownTip {
  readonly target: HTMLElement;
  readonly label: string;
  readonly side: 'top' | 'right';
}

/** The elements under the pointer and with the keyboard's focus. */
interface Attention {
  readonly hovered?: HTMLElement | undefined;
  readonly focused?: HTMLElement | undefined;
}

/** A pointer that only passes over shows no tip. */
const restMs = 350;

/**
 * Reports the tip to show, undefined for none: that of the element with `data-tip` on which the pointer or the keyboard's
 * focus has rested; the pointer takes precedence. It is hidden when pointer or focus leave, with Escape, and while its
 * element is open (`aria-expanded`); a label that changes meanwhile, such as Copied, is reported again. Returns the
 * function that stops it.
 */
export function watchTips(notify: (tip: ShownTip | undefined) => void): () => void {
  let target: HTMLElement | undefined;
  let shown: ShownTip | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  const show = (tip: ShownTip | undefined): void => {
    if (tip?.target === shown?.target && tip?.label === shown?.label) return;
    shown = tip;
    notify(tip);
  };
  const update = (): void => show(target && tipOf(target));
  const changes = new MutationObserver(update);
  const rested = (): void => {
    update();
    if (target === undefined) return;
    changes.observe(target, { attributeFilter: ['data-tip', 'aria-expanded'] });
    // The removal of an element causes no event of a pointer that rests.
    changes.observe(document.body, { childList: true, subtree: true });
  };
  const turnTo = (next: HTMLElement | undefined): void => {
    if (next === target) return;
    clearTimeout(rest);
    changes.disconnect();
    target = next;
    // While a tip is shown, the next one is shown at once.
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
  // A focus that is restored, by a dialog or another window, shows no tip.
  on('focusin', ({ target: element }) => {
    if (isByKey) turn({ focused: ownerOf(element) });
  });
  on('focusout', () => turn({ focused: undefined }));
  on('click', ({ target: element }) => {
    // A followed link needs no tip any more.
    if (ownerOf(element) instanceof HTMLAnchorElement) turn(none);
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

function ownerOf(element: EventTarget | null): HTMLElement | undefined {
  return element instanceof Element
    ? (element.closest<HTMLElement>('[data-tip]') ?? undefined)
    : undefined;
}

function tipOf(target: HTMLElement): ShownTip | undefined {
  const { tip: label, tipSide } = target.dataset;
  const isBusy = !target.isConnected || target.getAttribute('aria-expanded') === 'true';
  if (label === undefined || label === '' || isBusy) return undefined;
  return { target, label, side: tipSide === 'right' ? 'right' : 'top' };
}
