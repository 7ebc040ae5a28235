import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useRef, type RefObject } from 'react';

interface VirtualRowsOptions {
  readonly count: number;
  readonly size: (index: number) => number;
  readonly keyOf?: (index: number) => string;
}

interface VirtualRows {
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly virtual: Virtualizer<HTMLDivElement, HTMLDivElement>;
}

/** Rows of which only the visible ones are in the page. `scroll` is the element that scrolls. */
export function useVirtualRows({ count, size, keyOf }: VirtualRowsOptions): VirtualRows {
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled to be memoised
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: size,
    overscan: 12,
    // What is shown before the element has been measured.
    initialRect: { width: 600, height: 400 },
    ...(keyOf === undefined ? {} : { getItemKey: keyOf }),
  });
  return { scroll, virtual };
}
