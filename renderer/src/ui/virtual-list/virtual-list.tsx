import type { ReactNode } from 'react';
import type { ItemId, VirtualListProps } from './list-props.ts';
import { ListRows } from './list-rows.tsx';
import { useListMoves } from './use-list-moves.ts';

/**
 * A list of any length that renders only the visible rows. Rows that are added above do not move them. The keys of the
 * page are registered also while it is empty, so that those of a list that is mounted later win.
 */
export function VirtualList<Item, Id extends ItemId = string>(
  props: VirtualListProps<Item, Id>,
): ReactNode {
  const moves = useListMoves(props);
  if (props.items.length === 0 && props.empty !== undefined) return props.empty;
  return <ListRows {...props} {...moves} />;
}
