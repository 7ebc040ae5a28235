import { useEffect, useRef } from 'react';
import type { EndOfScroller } from '../use-stick-to-end.ts';

interface Current {
  readonly end: EndOfScroller;
  /** What has the cursor; another one moves the list. */
  readonly currentId: unknown;
  /** Its row; -1 until that has arrived. */
  readonly index: number;
  /** Undefined: rows differ in height, and there is no cursor. */
  readonly rowHeight: number | undefined;
}

/** Events by which the user moves the list. */
const userEvents = ['wheel', 'pointerdown', 'touchstart', 'keydown', 'focusin'] as const;
/** A page that has just changed may scroll its list again; later only the user does. */
const settleMs = 500;

/**
 * Scrolls the row with the cursor into view, once for each one, and keeps it there while the layout around the list
 * settles, which makes the browser scroll it: until the user scrolls, or goes to the end. A list that follows its end
 * keeps doing so when a visible row is chosen.
 */
export function useCurrentInView({ end, currentId, index, rowHeight = 0 }: Current): void {
  const { scroller, isAtEnd, leave } = end;
  // The item in the URL may be current before its row has arrived.
  const hasRow = index >= 0;
  const latest = useRef({ currentId, top: 0, isAtEnd });
  const shown = useRef<unknown>(undefined);
  /** The user has moved the list since: it is not moved again. */
  const released = useRef<unknown>(undefined);
  const pinned = useRef<{ height: number; until: number }>(undefined);
  useEffect(() => {
    latest.current = { currentId, top: index * rowHeight, isAtEnd };
  });
  useEffect(() => {
    if (isAtEnd) pinned.current = undefined;
  }, [isAtEnd]);
  useEffect(() => {
    const element = scroller.current;
    pinned.current = undefined;
    if (!hasRow || element === null || rowHeight === 0 || released.current === currentId) return;
    // With what is around it, unless it is a step from the one before.
    const isMoved = reveal(element, latest.current.top, rowHeight, shown.current === undefined);
    shown.current = currentId;
    if (isMoved) leave();
    if (isMoved || !latest.current.isAtEnd) pinned.current = pin(element);
  }, [scroller, currentId, hasRow, rowHeight, leave]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || rowHeight === 0) return undefined;
    const ends = new AbortController();
    const options = { signal: ends.signal, passive: true };
    const release = (): void => {
      pinned.current = undefined;
      released.current = latest.current.currentId;
    };
    for (const name of userEvents) element.addEventListener(name, release, options);
    const scrolled = (): void => {
      const { height, until } = pinned.current ?? {};
      if (until === undefined) return;
      if (element.clientHeight === height && performance.now() > until) pinned.current = undefined;
      else reveal(element, latest.current.top, rowHeight);
    };
    element.addEventListener('scroll', scrolled, options);
    const observer = new ResizeObserver(() => {
      if (pinned.current === undefined) return;
      reveal(element, latest.current.top, rowHeight);
      pinned.current = pin(element);
    });
    observer.observe(element);
    return () => {
      ends.abort();
      observer.disconnect();
    };
  }, [scroller, rowHeight]);
}

function pin({ clientHeight }: HTMLElement): { height: number; until: number } {
  return { height: clientHeight, until: performance.now() + settleMs };
}

/** Scrolls as little as needed for a row to be wholly visible, or to the middle, and returns whether it had to. */
function reveal(element: HTMLElement, top: number, rowHeight: number, toMiddle = false): boolean {
  const { scrollTop, clientHeight } = element;
  const room = clientHeight - rowHeight;
  // Too low for a single row, or visible.
  if (room < 0 || (top >= scrollTop && top <= scrollTop + room)) return false;
  const edge = top < scrollTop ? top : top - room;
  element.scrollTo({ top: toMiddle ? top - room / 2 : edge });
  return true;
}
