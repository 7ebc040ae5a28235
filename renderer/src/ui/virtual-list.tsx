import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import './virtual-list.css';

/** The operations of a list for its owner. */
export interface VirtualListHandle {
  /** Scrolls the row into view; `center` is for a row that was not visible. */
  scrollToIndex(index: number, align?: 'auto' | 'center'): void;
  focus(): void;
}

interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly renderRow: (item: Item, index: number) => ReactNode;
  /** All rows are this high: heights are never measured. */
  readonly rowHeight: number;
  readonly label: string;
  /** The row with the cursor; keys or the owner move it, and the list scrolls to it. */
  readonly currentId?: string | undefined;
  readonly onMove?: (item: Item, index: number) => void;
  readonly onOpen?: (item: Item, index: number) => void;
  /** Called with the visible rows, and again when the last of them nears the end of the list. */
  readonly onRange?: (first: number, last: number) => void;
  readonly selectedIds?: ReadonlySet<string> | undefined;
  readonly ref?: React.Ref<VirtualListHandle>;
  readonly footer?: ReactNode;
}

/**
 * A list of any length that renders only the visible rows. Rows that are added above do not move them: the scroll
 * position is anchored to the id of the first visible row.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>): ReactNode {
  const { items, idOf, rowHeight, currentId, onMove, onOpen, onRange, selectedIds } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- not compiled by React's compiler, so nothing is memoized
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : idOf(item);
    },
    overscan: 8,
  });
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;

  useImperativeHandle(props.ref, () => ({
    scrollToIndex: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
    focus: () => scroller.current?.focus(),
  }));
  // Not with every new function: a reader that fails would be asked again at once.
  const latestOnRange = useRef(onRange);
  useLayoutEffect(() => {
    latestOnRange.current = onRange;
  });
  useEffect(() => latestOnRange.current?.(first, last), [first, last, items.length]);
  useScrollAnchor({ scroller, items, idOf, rowHeight });

  const current =
    currentId === undefined ? -1 : items.findIndex((item) => idOf(item) === currentId);
  const revealed = useRef<string>(undefined);
  useEffect(() => {
    if (current < 0 || revealed.current === currentId) return;
    revealed.current = currentId;
    virtualizer.scrollToIndex(current);
  }, [currentId, current, virtualizer]);
  const move = (index: number): void => {
    const item = items[index];
    if (item !== undefined) onMove?.(item, index);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const wanted: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: Math.max(0, current - 1),
      PageDown: Math.min(items.length - 1, current + page),
      PageUp: Math.max(0, current - page),
      Home: 0,
      End: items.length - 1,
    };
    const index = wanted[event.key];
    if (index !== undefined) {
      event.preventDefault();
      move(index);
    } else if (event.key === 'Enter' && items[current] !== undefined) {
      event.preventDefault();
      onOpen?.(items[current], current);
    }
  };

  return (
    <div
      ref={scroller}
      className="virtual-list"
      role="listbox"
      aria-label={props.label}
      aria-multiselectable={selectedIds !== undefined}
      aria-activedescendant={current >= first && current <= last ? rowId(currentId) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {rows.map(({ index, key, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const id = idOf(item);
          return (
            <div
              key={key}
              id={rowId(id)}
              className="virtual-list-row"
              role="option"
              aria-selected={selectedIds === undefined ? id === currentId : selectedIds.has(id)}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              data-current={id === currentId || undefined}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            >
              {props.renderRow(item, index)}
            </div>
          );
        })}
      </div>
      {props.footer}
    </div>
  );
}

function rowId(id: string | undefined): string {
  return `row-${id ?? ''}`;
}

interface ScrollAnchorOptions<Item> {
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly rowHeight: number;
}

/** Scrolls by as much as rows were added or removed above the first visible row. */
function useScrollAnchor<Item>({
  scroller,
  items,
  idOf,
  rowHeight,
}: ScrollAnchorOptions<Item>): void {
  const before = useRef<readonly Item[]>(items);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = items;
    const element = scroller.current;
    if (element === null || old === items || element.scrollTop === 0) return;
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
