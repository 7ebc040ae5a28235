import { useMemo } from 'react';
import { type Command, useCommands } from '../commands.ts';
import type { ItemId, ListCommands, VirtualListProps } from './list-props.ts';

/** Where the cursor is, and what moves it. */
export interface ListMoves {
  /** The index of the row with the cursor; -1 without one. */
  readonly current: number;
  /** Does what a key means in a list with the focus; `page` is how many rows are visible. False: nothing. */
  readonly press: (key: string, page: number) => boolean;
}

/** The cursor of a list and its keys. */
export function useListMoves<Item, Id extends ItemId>(
  props: VirtualListProps<Item, Id>,
): ListMoves {
  const { items, idOf, currentId, commands, onMove, onOpen, onFold, isHead, followsEnd } = props;
  const { length } = items;
  const current = useMemo(
    () => (currentId === undefined ? -1 : items.findIndex((item) => idOf(item) === currentId)),
    // oxlint-disable-next-line react/exhaustive-deps -- items that grow in place have a new length
    [items, length, idOf, currentId],
  );

  const nearest = (from: number, by: 1 | -1): number | undefined => {
    for (let at = from; ; at += by) {
      const item = items[at];
      if (item === undefined) return undefined;
      if (isHead?.(item) !== true) return at;
    }
  };
  /** Moves to a row, or to the next one in the direction that is no head; else back to the last one before. */
  const move = (index: number, by: 1 | -1): void => {
    const from = Math.max(0, Math.min(length - 1, index));
    const at = nearest(from, by) ?? nearest(from, by === 1 ? -1 : 1) ?? current;
    const item = items[at];
    if (item !== undefined && at !== current) onMove?.(item, at);
  };
  const next = (): void => move(current + 1, 1);
  // Without a cursor: from below the newest row, or to the first one.
  const previous = (): void => move(current < 0 && followsEnd ? length - 1 : current - 1, -1);
  const withCurrent = (act?: (item: Item, index: number) => void): boolean => {
    const item = items[current];
    if (item === undefined || act === undefined) return false;
    act(item, current);
    return true;
  };
  const fold = (isFolded: boolean): boolean =>
    withCurrent(onFold && ((item, index) => onFold(item, isFolded, index)));
  const moved = (act: () => void): boolean => {
    if (onMove === undefined) return false;
    act();
    return true;
  };
  const press = (key: string, page: number): boolean => {
    switch (key) {
      case 'ArrowDown':
        return moved(next);
      case 'ArrowUp':
        return moved(previous);
      case 'PageDown':
        return moved(() => move(current + page, 1));
      case 'PageUp':
        return moved(() => move(current - page, -1));
      case 'Home':
        return moved(() => move(0, 1));
      case 'End':
        return moved(() => move(length - 1, -1));
      case 'ArrowRight':
        return fold(false);
      case 'ArrowLeft':
        return fold(true);
      case 'Enter':
        return withCurrent(onOpen);
      default:
        return false;
    }
  };

  useCommands(
    commands === undefined ? [] : pageKeys(commands, next, previous, () => withCurrent(onOpen)),
  );
  return { current, press };
}

function pageKeys(
  { group, hasArrows, ...names }: ListCommands,
  next: () => void,
  previous: () => void,
  open: () => void,
): Command[] {
  const key = (keys: string, label: string, run: () => void): Command => ({
    id: `${group}:${keys}`,
    label,
    keys,
    group,
    keysOnly: true,
    run,
  });
  return [
    key('j', names.next, next),
    key('k', names.previous, previous),
    ...(hasArrows === true
      ? [key('down', names.next, next), key('up', names.previous, previous)]
      : []),
    ...(names.open === undefined ? [] : [key('enter', names.open, open)]),
  ];
}
