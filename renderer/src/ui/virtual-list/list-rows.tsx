import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { formatNumber } from '../format.ts';
import { useStickToEnd } from '../use-stick-to-end.ts';
import type { ItemId, VirtualListProps } from './list-props.ts';
import { useCurrentInView } from './use-current-in-view.ts';
import type { ListMoves } from './use-list-moves.ts';
import { useScrollAnchor } from './use-scroll-anchor.ts';
import { useUnseen } from './use-unseen.ts';
import './virtual-list.css';

const rowRoles = { listbox: 'option', tree: 'treeitem', list: 'listitem', log: undefined };
const isSelectable = { listbox: true, tree: true, list: false, log: false };

/** The visible rows of a list within what scrolls. */
export function ListRows<Item, Id extends ItemId>(
  props: VirtualListProps<Item, Id> & ListMoves,
): ReactNode {
  const { items, idOf, rowHeight, isMeasured = false, role = 'listbox', footer } = props;
  const { currentId, current, selectedIds, followsEnd = false, beginsAtEnd = followsEnd } = props;
  const heightOf = typeof rowHeight === 'number' ? () => rowHeight : rowHeight;
  const fixedHeight = typeof rowHeight === 'number' && !isMeasured ? rowHeight : undefined;
  const end = useStickToEnd([items, items.length, footer], { followsEnd, beginsAtEnd });
  const { scroller } = end;
  const isFollowing = followsEnd && end.isAtEnd;

  // oxlint-disable-next-line react/incompatible-library -- not compiled by React's compiler, so nothing is memoized
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const item = items[index];
      return item === undefined ? 0 : heightOf(item);
    },
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index];
        return item === undefined ? index : idOf(item);
      },
      [items, idOf],
    ),
    // What is shown before the element has been measured.
    initialRect: { width: 600, height: 400 },
    overscan: 8,
    // It scrolls there once it is mounted, after the end was scrolled to: from the top the end would count as left.
    initialOffset: () => (beginsAtEnd ? items.reduce((sum, item) => sum + heightOf(item), 0) : 0),
    // A list that grows by more than a screen within a frame would be blank until the browser reports the scrolling.
    rangeExtractor: useCallback((range: Range) => lastOnes(range, isFollowing), [isFollowing]),
  });
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useRange(props.onRange, first, last, items.length);
  useScrollAnchor({ scroller, items, idOf, rowHeight: fixedHeight });
  useCurrentInView({ end, currentId, index: current, rowHeight: fixedHeight });
  const unseen = useUnseen(items, idOf, !followsEnd || end.isAtEnd);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / (fixedHeight ?? 1)) - 1;
    if (props.press(event.key, Math.max(1, page))) event.preventDefault();
  };
  const isAnnounced = isSelectable[role];
  return (
    <>
      <div
        ref={scroller}
        className="virtual-list"
        role={role}
        aria-label={props.label}
        aria-multiselectable={isAnnounced ? selectedIds !== undefined : undefined}
        aria-activedescendant={
          current >= first && current <= last && currentId !== undefined
            ? rowId(currentId)
            : undefined
        }
        tabIndex={role === 'list' ? undefined : 0}
        onKeyDown={onKeyDown}
      >
        <div
          className="virtual-list-rows"
          role="none"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ index, key, start }) => {
            const item = items[index];
            if (item === undefined) return null;
            const id = idOf(item);
            return (
              <div
                key={key}
                ref={isMeasured ? virtualizer.measureElement : undefined}
                id={rowId(id)}
                className="virtual-list-row"
                role={rowRoles[role]}
                {...(isAnnounced &&
                  props.isHead?.(item) !== true && {
                    'aria-selected': selectedIds?.has(id) ?? id === currentId,
                    'aria-posinset': index + 1,
                    'aria-setsize': items.length,
                    ...props.ariaOf?.(item),
                  })}
                data-index={index}
                data-current={id === currentId || undefined}
                style={{ height: fixedHeight, transform: `translateY(${start}px)` }}
              >
                {props.renderRow(item, index)}
              </div>
            );
          })}
        </div>
        {footer}
      </div>
      {unseen > 0 && (
        <button type="button" className="virtual-list-unseen" onClick={end.toEnd}>
          {formatNumber(unseen)} new ↓
        </button>
      )}
    </>
  );
}

/** The id of a row's element. */
export function rowId(id: ItemId): string {
  return `row-${id}`;
}

function lastOnes(range: Range, isFollowing: boolean): number[] {
  const by = isFollowing ? range.count - 1 - range.endIndex : 0;
  const { startIndex, endIndex } = range;
  return defaultRangeExtractor({ ...range, startIndex: startIndex + by, endIndex: endIndex + by });
}

/** Not with every new function: a reader that fails would be asked again at once. */
function useRange(
  onRange: ((first: number, last: number) => void) | undefined,
  first: number,
  last: number,
  count: number,
): void {
  const latest = useRef(onRange);
  useLayoutEffect(() => {
    latest.current = onRange;
  });
  useEffect(() => latest.current?.(first, last), [first, last, count]);
}
