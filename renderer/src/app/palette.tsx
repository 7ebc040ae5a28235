import { Spotlight } from '@mantine/spotlight';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { type Command, useOfferedCommands } from '../ui/commands.ts';
import { KeyNames } from '../ui/key-names.tsx';
import { idCommands, isLikelyId } from './id-commands.ts';
import { rankCommands } from './rank-commands.ts';
import './palette.css';

/** Ctrl or Cmd+K: every command by its name, and threads and runs by their ids. */
export function Palette(): ReactNode {
  const navigate = useNavigate();
  const commands = useOfferedCommands().filter(({ keysOnly }) => keysOnly !== true);
  const [query, setQuery] = useState('');
  const ids = idCommands(query);
  const ranked = rankCommands(commands, query);
  // A word may also be an id; more likely it is the name of a command.
  const found = isLikelyId(query) ? [...ids, ...ranked] : [...ranked, ...ids];
  const groups = [...new Set(found.map(({ group }) => group))];
  const run = (command: Command): void => command.run({ navigate: (to) => void navigate(to) });
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      size={560}
      // Fixed under the header: centred, it would jump with every letter.
      centered={false}
      yOffset="12vh"
      maxHeight={420}
      scrollable
      transitionProps={{ duration: 80 }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
    >
      <Spotlight.Search
        placeholder="Type a command, or paste the id of a thread or run"
        aria-label="Command or id"
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Spotlight.ActionsList aria-label="Commands">
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {found
              .filter((command) => command.group === group)
              .map((command) => (
                <Spotlight.Action
                  key={command.id}
                  label={command.label}
                  leftSection={<IconArrowRight size={14} aria-hidden />}
                  rightSection={command.keys !== undefined && <KeyNames keys={command.keys} />}
                  onClick={() => run(command)}
                />
              ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && <Spotlight.Empty>No matching commands.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
