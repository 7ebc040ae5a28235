import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this distance the position counts as the end: two lines of a log. */
const near = 36;

/** Keeps the end of a scroller in view while `content` grows, until the user scrolls up. */
export function useStickToEnd(
  content: readonly unknown[],
  /** False for a list whose newest element is not the last. */
  isFollowing = true,
): {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly toEnd: () => void;
} {
  const scroller = useRef<HTMLDivElement>(null);
  const isSticking = useRef(isFollowing);
  const [isAtEnd, setAtEnd] = useState(true);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const onScroll = (): void => {
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
      isSticking.current = isFollowing && distance < near;
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
  }, [isFollowing]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element !== null && isSticking.current) element.scrollTo({ top: element.scrollHeight });
    // oxlint-disable-next-line react/exhaustive-deps -- the caller passes what makes the content grow
  }, content);
  return {
    scroller,
    isAtEnd,
    toEnd: () => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }),
  };
}
