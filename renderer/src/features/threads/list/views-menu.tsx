import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconPencil, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type SavedView, useSavedViews } from '../../../state/saved-views.ts';
import { offerUndo } from '../../../ui/undo.tsx';
import { ViewName } from '../../../ui/view-name.tsx';

/** Built-in views. */
const builtIn = [
  { name: 'All threads', query: '' },
  { name: 'Running', query: 'status=busy' },
  { name: 'Waiting for an answer', query: 'status=interrupted' },
  { name: 'Failed', query: 'status=error' },
] as const;

interface ViewsMenuProps {
  /** The current filter, as the query of a URL. */
  readonly query: string;
  readonly onChoose: (query: string) => void;
}

/** Goes to a view, saves the filter that is set as one, renames or forgets one. */
export function ViewsMenu({ query, onChoose }: ViewsMenuProps): ReactNode {
  const { views, save, rename, remove } = useSavedViews();
  const [renamed, setRenamed] = useState<string>();
  const current = [...builtIn, ...views].find((view) => view.query === query);
  const canSave = current === undefined && query !== '';
  const isTaken = (name: string): boolean =>
    [...builtIn, ...views].some((view) => view.name === name);
  const forget = (view: SavedView): void => {
    remove(view.name);
    offerUndo({
      label: `View ${view.name} forgotten`,
      commit: async () => undefined,
      undo: () => save(view),
      failed: 'The view could not be forgotten',
    });
  };
  return (
    <Menu
      position="bottom-start"
      width={280}
      closeOnItemClick
      onClose={() => setRenamed(undefined)}
    >
      <Menu.Target>
        <UnstyledButton
          className="views-menu row"
          aria-label={`View: ${current?.name ?? 'filtered'}`}
        >
          <h1 className="clip">{current?.name ?? 'Filtered threads'}</h1>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {builtIn.map((view) => (
          <Menu.Item key={view.name} onClick={() => onChoose(view.query)}>
            {view.name}
          </Menu.Item>
        ))}
        {views.length > 0 && <Menu.Label>Saved</Menu.Label>}
        {views.map((view) =>
          view.name === renamed ? (
            <ViewName
              key={view.name}
              label={`New name of ${view.name}`}
              first={view.name}
              action="Rename"
              isTaken={(name) => name !== view.name && isTaken(name)}
              onName={(name) => {
                rename(view.name, name);
                setRenamed(undefined);
              }}
            />
          ) : (
            <div className="row" key={view.name}>
              <Menu.Item flex={1} miw={0} onClick={() => onChoose(view.query)}>
                {view.name}
              </Menu.Item>
              <ActionIcon
                size="sm"
                aria-label={`Rename view ${view.name}`}
                onClick={() => setRenamed(view.name)}
              >
                <IconPencil size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                size="sm"
                aria-label={`Forget view ${view.name}`}
                onClick={() => forget(view)}
              >
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </div>
          ),
        )}
        {canSave && (
          <ViewName
            label="Name of this view"
            action="Save"
            isTaken={isTaken}
            onName={(name) => save({ name, query })}
          />
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
