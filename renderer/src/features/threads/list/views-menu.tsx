import { ActionIcon, Button, Menu, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useSavedViews } from '../../../state/saved-views.ts';

/** Views that everybody has. */
const builtIn = [
  { name: 'All threads', query: '' },
  { name: 'Running', query: 'status=busy' },
  { name: 'Waiting for an answer', query: 'status=interrupted' },
  { name: 'Failed', query: 'status=error' },
] as const;

interface ViewsMenuProps {
  /** The filter now, as the query of an address. */
  readonly query: string;
  readonly onChoose: (query: string) => void;
}

/** Goes to a view, saves the filter that is set as one, forgets one. */
export function ViewsMenu({ query, onChoose }: ViewsMenuProps): ReactNode {
  const { views, save, remove } = useSavedViews();
  const [name, setName] = useState('');
  const current = [...builtIn, ...views].find((view) => view.query === query);
  const canSave = current === undefined && query !== '';
  return (
    <Menu position="bottom-start" width={260} closeOnItemClick>
      <Menu.Target>
        <UnstyledButton className="views-menu" aria-label={`View: ${current?.name ?? 'filtered'}`}>
          <h1>{current?.name ?? 'Filtered threads'}</h1>
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
        {views.map((view) => (
          <div className="views-menu-saved" key={view.name}>
            <Menu.Item onClick={() => onChoose(view.query)}>{view.name}</Menu.Item>
            <ActionIcon
              size="sm"
              aria-label={`Forget view ${view.name}`}
              onClick={() => remove(view.name)}
            >
              <IconTrash size={14} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        {canSave && (
          <form
            className="views-menu-save"
            onSubmit={(event) => {
              event.preventDefault();
              if (name.trim() === '') return;
              save({ name: name.trim(), query });
              setName('');
            }}
          >
            <TextInput
              value={name}
              placeholder="Name of this view"
              aria-label="Name of this view"
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
            <Button type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </form>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
