import { type RefObject, useEffect, useRef } from 'react';

interface Choice {
  readonly place: RefObject<HTMLElement | null>;
  /** What is chosen; a new choice moves the list. */
  readonly chosen: number | undefined;
  /** Its row; -1 as long as that has not come. */
  readonly index: number;
  /** Of the place as it was last heard of, in pixels. */
  readonly height: number;
  /** The list keeps to its end, whatever is chosen. */
  readonly isAtTail: boolean;
  readonly rowHeight: number;
}

/** By these the reader scrolls; a scroll without any of them is the browser's, when a list becomes lower or higher. */
const byReader = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/**
 * Brings the chosen row into view, once for each choice, and keeps it there while what stands around the list takes its
 * place: until the reader scrolls, or goes to the end.
 */
export function useChoiceInView(choice: Choice): void {
  const { place, chosen, index, height, isAtTail, rowHeight } = choice;
  // What the address names may be chosen before its row has come.
  const isThere = index >= 0;
  const latestTop = useRef(0);
  const isKept = useRef(false);
  useEffect(() => {
    latestTop.current = index * rowHeight;
  });
  useEffect(() => {
    if (isAtTail) isKept.current = false;
  }, [isAtTail]);
  useEffect(() => {
    // Rows that come do not move the list.
    isKept.current = isThere;
    if (isThere && place.current !== null) reveal(place.current, latestTop.current, rowHeight);
  }, [place, chosen, isThere, rowHeight]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const ends = new AbortController();
    const options = { signal: ends.signal, passive: true };
    const release = (): void => void (isKept.current = false);
    for (const name of byReader) element.addEventListener(name, release, options);
    const scrolled = (): void => {
      if (isKept.current) reveal(element, latestTop.current, rowHeight);
    };
    element.addEventListener('scroll', scrolled, options);
    return () => ends.abort();
  }, [place, rowHeight]);
  useEffect(() => {
    if (isKept.current && place.current !== null) {
      reveal(place.current, latestTop.current, rowHeight);
    }
  }, [place, height, rowHeight]);
}

/** Scrolls as little as needed for a row to be seen. */
function reveal(element: HTMLElement, top: number, rowHeight: number): void {
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + rowHeight > element.scrollTop + element.clientHeight) {
    element.scrollTop = top + rowHeight - element.clientHeight;
  }
}
