import { type Command, useCommands } from '../../../ui/commands.ts';

interface RunListActions {
  select(): void;
  menu(): void;
  focusSearch(): void;
  /** Given while something is selected. */
  clearSelection?(): void;
}

/** What keys do with the run at the cursor, while the list is on the page. */
export function useRunListKeys(actions: RunListActions): void {
  const { clearSelection } = actions;
  const key = (id: string, keys: string, label: string, run: () => void): Command => ({
    id: `runs:${id}`,
    label,
    keys,
    group: 'Runs',
    keysOnly: true,
    run,
  });
  useCommands([
    key('select', 'x', 'Select the run', actions.select),
    key('menu', 'm', 'Actions of the run', actions.menu),
    ...(clearSelection === undefined
      ? []
      : [key('clear', 'escape', 'Clear the selection', clearSelection)]),
    { ...key('search', '/', 'Search runs', actions.focusSearch), keysOnly: false },
  ]);
}
