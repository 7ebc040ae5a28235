import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this distance the position counts as the end: two lines of a log. */
const near = 36;

/** A scroller, and whether its end is followed. */
export interface EndOfScroller {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
  /** Another row is shown: the end is followed again when the user scrolls there. */
  readonly leave: () => void;
}

/** Keeps the end of a scroller in view while `content` grows, until the user scrolls up. */
export function useStickToEnd(
  content: readonly unknown[],
  options: { readonly followsEnd?: boolean; readonly beginsAtEnd?: boolean } = {},
): EndOfScroller {
  const { followsEnd = true, beginsAtEnd = followsEnd } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const isSticking = useRef(beginsAtEnd);
  /** Where the scroller was last: the user leaves the end by a move upwards. */
  const lastTop = useRef(0);
  const [isAtEnd, setAtEnd] = useState(beginsAtEnd);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !followsEnd) return undefined;
    const onScroll = (): void => {
      const { scrollTop } = element;
      const isNear = element.scrollHeight - scrollTop - element.clientHeight < near;
      // What is no longer near without a move upwards: rows were added, or measured, since it went to the end.
      const isAt = isNear || (isSticking.current && scrollTop >= lastTop.current);
      lastTop.current = scrollTop;
      isSticking.current = isAt;
      setAtEnd(isAt);
      if (isAt && !isNear) scrollToEnd(element, lastTop);
    };
    // Markdown is rendered after its message and makes it higher.
    const observer = new ResizeObserver(() => {
      if (isSticking.current) scrollToEnd(element, lastTop);
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const child of element.children) observer.observe(child);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [followsEnd]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && isSticking.current) scrollToEnd(element, lastTop);
    // oxlint-disable-next-line react/exhaustive-deps -- the caller passes what makes the content grow
  }, content);
  const toEnd = useCallback(() => {
    isSticking.current = true;
    setAtEnd(true);
    if (scroller.current !== null) scrollToEnd(scroller.current, lastTop);
  }, []);
  const leave = useCallback(() => {
    isSticking.current = false;
    setAtEnd(false);
  }, []);
  return { scroller, isAtEnd, toEnd, leave };
}

function scrollToEnd(element: HTMLElement, lastTop: { current: number }): void {
  element.scrollTo({ top: element.scrollHeight });
  lastTop.current = element.scrollTop;
}
