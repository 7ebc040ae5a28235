import { ActionIcon, Popover } from '@mantine/core';
import { IconBookmarkPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type SavedView, useSavedRunViews } from '../../../state/saved-views.ts';
import { ViewName } from '../../../ui/view-name.tsx';
import { offerUndo } from '../../../ui/undo.tsx';

/** Built-in views. */
const builtIn: readonly SavedView[] = [
  { name: 'All', query: '' },
  { name: 'Failed', query: 'status=error' },
  { name: 'Running', query: 'status=running' },
  { name: 'Waiting', query: 'status=interrupted' },
];

interface RunViewsProps {
  /** The current filter, as the query of a URL. */
  readonly query: string;
  readonly onChoose: (query: string) => void;
}

/** Views of the runs as chips: built-in ones, those that were saved, and the button that saves the filter as one. */
export function RunViews({ query, onChoose }: RunViewsProps): ReactNode {
  const { views, save, remove } = useSavedRunViews();
  const [isNaming, setNaming] = useState(false);
  const all = [...builtIn, ...views];
  const canSave = all.every((view) => view.query !== query);
  const forget = (view: SavedView): void => {
    remove(view.name);
    offerUndo({
      label: `View ${view.name} deleted`,
      commit: async () => undefined,
      undo: () => save(view),
      failed: 'The view could not be deleted',
    });
  };
  return (
    <nav className="run-views row wrap" aria-label="Views">
      {all.map((view, index) => (
        <span
          key={view.name}
          className="run-view row"
          data-chosen={view.query === query || undefined}
        >
          <button
            type="button"
            aria-current={view.query === query || undefined}
            onClick={() => onChoose(view.query)}
          >
            {view.name}
          </button>
          {index >= builtIn.length && (
            <ActionIcon
              size="xs"
              aria-label={`Delete view ${view.name}`}
              onClick={() => forget(view)}
            >
              <IconX size={11} aria-hidden />
            </ActionIcon>
          )}
        </span>
      ))}
      <Popover opened={isNaming && canSave} onChange={setNaming} position="bottom-start" trapFocus>
        <Popover.Target>
          <button
            type="button"
            className="run-view-save row"
            disabled={!canSave}
            aria-label="Save this view"
            onClick={() => setNaming(!isNaming)}
          >
            <IconBookmarkPlus size={14} aria-hidden /> Save view
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <ViewName
            label="Name of this view"
            action="Save"
            isTaken={(name) => all.some((view) => view.name === name)}
            onName={(name) => {
              save({ name, query });
              setNaming(false);
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </nav>
  );
}
