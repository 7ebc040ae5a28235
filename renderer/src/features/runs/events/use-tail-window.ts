import { type RefObject, useCallback, useEffect, useState } from 'react';

interface TailWindow {
  /** Rows from `first` up to `last` (exclusive) are drawn. */
  readonly first: number;
  readonly last: number;
  readonly isAtTail: boolean;
  /** The height of the scroller, in pixels. */
  readonly height: number;
  /** The number of rows when the user left the end; undefined at the end. */
  readonly seen: number | undefined;
}

interface Options {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly rowHeight: number;
  readonly beginsAtTail: boolean;
}

interface Reading {
  readonly top: number;
  readonly height: number;
  readonly isAtTail: boolean;
  readonly seen: number | undefined;
}

const overscan = 8;

/**
 * Which rows of a growing list are visible. At the end these are the last ones, whatever the last known scroll position:
 * a list that grows by more than a screen within a frame would be blank otherwise.
 */
export function useTailWindow(options: Options): { window: TailWindow; toTail: () => void } {
  const { scroller, count, rowHeight, beginsAtTail } = options;
  const [reading, setReading] = useState<Reading>({
    top: 0,
    height: 600,
    isAtTail: beginsAtTail,
    seen: undefined,
  });

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const read = (): void => {
      const { scrollTop: top, scrollHeight, clientHeight: height } = element;
      const isAtTail = scrollHeight - top - height <= rowHeight * 1.5;
      setReading((before) => {
        if (isAtTail && before.isAtTail && before.height === height) return before;
        return { top, height, isAtTail, seen: seenAt(before, isAtTail, scrollHeight, rowHeight) };
      });
    };
    const observer = new ResizeObserver(() => {
      setReading((before) => ({ ...before, height: element.clientHeight }));
    });
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, [scroller, rowHeight]);

  const toTail = useCallback(
    () => setReading((before) => ({ ...before, isAtTail: true, seen: undefined })),
    [],
  );

  const { top, height, isAtTail, seen } = reading;
  const visible = Math.ceil(height / rowHeight) + 1;
  const begin = isAtTail ? count - visible : Math.floor(top / rowHeight);
  const first = Math.max(0, Math.min(begin, count - visible) - overscan);
  const last = Math.min(count, first + visible + 2 * overscan);
  return { window: { first, last, isAtTail, height, seen: seen && Math.min(seen, count) }, toTail };
}

function seenAt(
  before: Reading,
  isAtTail: boolean,
  scrollHeight: number,
  rowHeight: number,
): number | undefined {
  if (isAtTail) return undefined;
  return before.isAtTail ? Math.floor(scrollHeight / rowHeight) : before.seen;
}
