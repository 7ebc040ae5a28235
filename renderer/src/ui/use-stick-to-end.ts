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
  const [isAtEnd, setAtEnd] = useState(beginsAtEnd);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !followsEnd) return undefined;
    const onScroll = (): void => {
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
      isSticking.current = distance < near;
      setAtEnd(distance < near);
    };
    // Markdown is rendered after its message and makes it higher.
    const observer = new ResizeObserver(() => {
      if (isSticking.current) element.scrollTo({ top: element.scrollHeight });
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
    if (element !== null && isSticking.current) element.scrollTo({ top: element.scrollHeight });
    // oxlint-disable-next-line react/exhaustive-deps -- the caller passes what makes the content grow
  }, content);
  const toEnd = useCallback(() => {
    isSticking.current = true;
    setAtEnd(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);
  const leave = useCallback(() => {
    isSticking.current = false;
    setAtEnd(false);
  }, []);
  return { scroller, isAtEnd, toEnd, leave };
}
