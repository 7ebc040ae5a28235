import { type RefObject, useEffect, useRef } from 'react';

interface Choice {
  readonly place: RefObject<HTMLElement | null>;
  /** What is chosen; a new choice moves the list. */
  readonly chosen: number | undefined;
  /** Its row; -1 as long as that has not come. */
  readonly index: number;
  /** Of the place as it was last heard of, in pixels. */
  readonly height: number;
  /** The list follows its end. */
  readonly isAtTail: boolean;
  readonly rowHeight: number;
}

/** By these the reader moves the list. */
const byReader = ['wheel', 'pointerdown', 'touchstart', 'keydown', 'focusin'] as const;
/** A page that has just changed may scroll its list once more; later nobody but the reader does. */
const settleMs = 500;

/**
 * Brings the chosen row into view, once for each choice, and keeps it there while what stands around the list takes its
 * place, which has the browser scroll it: until the reader scrolls, or goes to the end. A list that follows its end goes
 * on to do so when a row is chosen that is seen.
 */
export function useChoiceInView(choice: Choice): void {
  const { place, chosen, index, height, isAtTail, rowHeight } = choice;
  // What the address names may be chosen before its row has come.
  const isThere = index >= 0;
  const latest = useRef({ top: 0, isAtTail });
  const kept = useRef<{ height: number; until: number }>(undefined);
  useEffect(() => {
    latest.current = { top: index * rowHeight, isAtTail };
  });
  useEffect(() => {
    if (isAtTail) kept.current = undefined;
  }, [isAtTail]);
  useEffect(() => {
    // Rows that come do not move the list.
    const element = place.current;
    kept.current = undefined;
    if (!isThere || element === null) return;
    const isMoved = reveal(element, latest.current.top, rowHeight);
    if (isMoved || !latest.current.isAtTail) kept.current = keep(element);
  }, [place, chosen, isThere, rowHeight]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const ends = new AbortController();
    const options = { signal: ends.signal, passive: true };
    const release = (): void => void (kept.current = undefined);
    for (const name of byReader) element.addEventListener(name, release, options);
    const scrolled = (): void => {
      const { height: before, until } = kept.current ?? {};
      if (until === undefined) return;
      if (element.clientHeight === before && performance.now() > until) return release();
      reveal(element, latest.current.top, rowHeight);
    };
    element.addEventListener('scroll', scrolled, options);
    return () => ends.abort();
  }, [place, rowHeight]);
  useEffect(() => {
    const element = place.current;
    if (kept.current === undefined || element === null) return;
    reveal(element, latest.current.top, rowHeight);
    kept.current = keep(element);
  }, [place, height, rowHeight]);
}

function keep({ clientHeight }: HTMLElement): { height: number; until: number } {
  return { height: clientHeight, until: performance.now() + settleMs };
}

/** Scrolls as little as needed for a row to be seen whole, and says whether it had to. */
function reveal(element: HTMLElement, top: number, rowHeight: number): boolean {
  const { scrollTop, clientHeight } = element;
  // Where no row has room, there is nothing to be seen.
  if (clientHeight < rowHeight) return false;
  if (top < scrollTop) element.scrollTop = top;
  else if (top + rowHeight > scrollTop + clientHeight) {
    element.scrollTop = top + rowHeight - clientHeight;
  } else return false;
  return true;
}
