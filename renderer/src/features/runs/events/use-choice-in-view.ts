import { type RefObject, useEffect, useRef } from 'react';

interface Choice {
  readonly scroller: RefObject<HTMLElement | null>;
  /** What is chosen; a new choice moves the list. */
  readonly chosen: number | undefined;
  /** Its row; -1 until that has arrived. */
  readonly index: number;
  /** The last known height of the scroller, in pixels. */
  readonly height: number;
  /** The list follows its end. */
  readonly isAtTail: boolean;
  readonly rowHeight: number;
}

/** Events by which the user moves the list. */
const userEvents = ['wheel', 'pointerdown', 'touchstart', 'keydown', 'focusin'] as const;
/** A page that has just changed may scroll its list again; later only the user does. */
const settleMs = 500;

/**
 * Scrolls the chosen row into view, once for each choice, and keeps it there while the layout around the list settles,
 * which makes the browser scroll it: until the user scrolls, or goes to the end. A list that follows its end keeps doing
 * so when a visible row is chosen.
 */
export function useChoiceInView(choice: Choice): void {
  const { scroller, chosen, index, height, isAtTail, rowHeight } = choice;
  // The event in the URL may be chosen before its row has arrived.
  const hasRow = index >= 0;
  const latest = useRef({ top: 0, isAtTail });
  const pinned = useRef<{ height: number; until: number }>(undefined);
  useEffect(() => {
    latest.current = { top: index * rowHeight, isAtTail };
  });
  useEffect(() => {
    if (isAtTail) pinned.current = undefined;
  }, [isAtTail]);
  useEffect(() => {
    // New rows do not move the list.
    const element = scroller.current;
    pinned.current = undefined;
    if (!hasRow || element === null) return;
    const isMoved = reveal(element, latest.current.top, rowHeight);
    if (isMoved || !latest.current.isAtTail) pinned.current = pin(element);
  }, [scroller, chosen, hasRow, rowHeight]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const ends = new AbortController();
    const options = { signal: ends.signal, passive: true };
    const release = (): void => void (pinned.current = undefined);
    for (const name of userEvents) element.addEventListener(name, release, options);
    const scrolled = (): void => {
      const { height: before, until } = pinned.current ?? {};
      if (until === undefined) return;
      if (element.clientHeight === before && performance.now() > until) return release();
      reveal(element, latest.current.top, rowHeight);
    };
    element.addEventListener('scroll', scrolled, options);
    return () => ends.abort();
  }, [scroller, rowHeight]);
  useEffect(() => {
    const element = scroller.current;
    if (pinned.current === undefined || element === null) return;
    reveal(element, latest.current.top, rowHeight);
    pinned.current = pin(element);
  }, [scroller, height, rowHeight]);
}

function pin({ clientHeight }: HTMLElement): { height: number; until: number } {
  return { height: clientHeight, until: performance.now() + settleMs };
}

/** Scrolls as little as needed for a row to be wholly visible, and returns whether it had to. */
function reveal(element: HTMLElement, top: number, rowHeight: number): boolean {
  const { scrollTop, clientHeight } = element;
  // Too low for a single row.
  if (clientHeight < rowHeight) return false;
  if (top < scrollTop) element.scrollTop = top;
  else if (top + rowHeight > scrollTop + clientHeight) {
    element.scrollTop = top + rowHeight - clientHeight;
  } else return false;
  return true;
}
