import type { AriaAttributes, ReactNode } from 'react';

/** The keys of a list that work anywhere on its page, by their names in the sheet of keys. */
export interface ListCommands {
  readonly group: string;
  /** j; with `hasArrows` also the arrow keys. */
  readonly next: string;
  readonly previous: string;
  /** Enter. */
  readonly open?: string;
  readonly hasArrows?: boolean;
}

/** What identifies an item. */
export type ItemId = string | number;

export interface VirtualListProps<Item, Id extends ItemId = string> {
  /** Grows in place, or is replaced. */
  readonly items: readonly Item[];
  /** Constant, as are the ids of items. */
  readonly idOf: (item: Item) => Id;
  readonly renderRow: (item: Item, index: number) => ReactNode;
  /** The height of every row; with `isMeasured` what a row has until it has been measured. */
  readonly rowHeight: number | ((item: Item) => number);
  /** Rows differ in height, and change it when they are opened. Not for a list with a cursor. */
  readonly isMeasured?: boolean;
  readonly label: string;
  /** `log` and `list` have no cursor. */
  readonly role?: 'listbox' | 'tree' | 'list' | 'log';
  /** More about a row for screen readers, such as its level in a tree. */
  readonly ariaOf?: (item: Item) => AriaAttributes;

  /** The row with the cursor; keys or the owner move it, and the list scrolls to it. */
  readonly currentId?: Id | undefined;
  readonly onMove?: (item: Item, index: number) => void;
  readonly onOpen?: (item: Item, index: number) => void;
  /** Of a tree: right opens a row, left folds it. */
  readonly onFold?: (item: Item, isFolded: boolean, index: number) => void;
  /** Rows that the cursor skips. */
  readonly isHead?: (item: Item) => boolean;
  /** Keys of the whole page that move the cursor; the others need the focus. */
  readonly commands?: ListCommands;
  readonly selectedIds?: ReadonlySet<Id> | undefined;

  /** Stays at its end while it grows, until the user scrolls up; then it counts the new rows. */
  readonly followsEnd?: boolean;
  /** False: a list that follows its end when the user has scrolled there. */
  readonly beginsAtEnd?: boolean;
  /** Called with the visible rows, and again when the last of them nears the end of the list. */
  readonly onRange?: (first: number, last: number) => void;
  /** Below the last row. */
  readonly footer?: ReactNode;
  /** Shown instead of a list without rows. */
  readonly empty?: ReactNode;
}
