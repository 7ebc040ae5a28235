import { type RefObject, useLayoutEffect, useRef } from 'react';

interface ScrollAnchorOptions<Item> {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => unknown;
  /** Undefined: rows differ in height, and nothing is done. */
  readonly rowHeight: number | undefined;
}

/** Scrolls by as much as rows were added or removed above the first visible row. */
export function useScrollAnchor<Item>(options: ScrollAnchorOptions<Item>): void {
  const { scroller, items, idOf, rowHeight } = options;
  const before = useRef<readonly Item[]>(items);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = items;
    const element = scroller.current;
    if (element === null || old === items || element.scrollTop === 0) return;
    if (rowHeight === undefined) return;
    const index = Math.floor(element.scrollTop / rowHeight);
    const anchor = old[index];
    if (anchor === undefined) return;
    const id = idOf(anchor);
    const now = items[index];
    if (now !== undefined && idOf(now) === id) return;
    const moved = items.findIndex((item) => idOf(item) === id);
    if (moved >= 0) element.scrollBy(0, (moved - index) * rowHeight);
  }, [items, idOf, rowHeight, scroller]);
}
