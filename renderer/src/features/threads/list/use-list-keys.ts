import { type Command, useCommands } from '../../../ui/commands.ts';

interface ListActions {
  openNext(by: number): void;
  focusFilter(): void;
  create(): void;
  select(): void;
  /** Given while something is selected. */
  clearSelection?(): void;
}

/** The keys of the list beside those of its cursor, while it is on the page. */
export function useListKeys(actions: ListActions): void {
  const group = 'Threads';
  const { clearSelection } = actions;
  const key = (id: string, keys: string, label: string, run: () => void): Command => ({
    id: `threads:${id}`,
    label,
    keys,
    group,
    keysOnly: true,
    run,
  });
  useCommands([
    key('select', 'x', 'Select', actions.select),
    ...(clearSelection === undefined
      ? []
      : [key('clear', 'escape', 'Clear the selection', clearSelection)]),
    key('next', ']', 'Open the next thread', () => actions.openNext(1)),
    key('previous', '[', 'Open the previous thread', () => actions.openNext(-1)),
    { ...key('filter', '/', 'Filter threads', actions.focusFilter), keysOnly: false },
    { ...key('new', 'n', 'New thread', actions.create), keysOnly: false },
  ]);
}
