import { Spotlight, useSpotlight } from '@mantine/spotlight';
import {
  IconArrowRight,
  IconMessages,
  IconPlayerPlay,
  IconRobot,
  IconSearch,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { type Command, useOfferedCommands } from '../ui/commands.ts';
import { KeyNames } from '../ui/key-names.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import type { Entry } from './found-entries.ts';
import { idCommands, isLikelyId } from './id-commands.ts';
import { keepSelection, paletteStore } from './palette-store.ts';
import { rankCommands } from './rank-commands.ts';
import { useFound } from './use-found.ts';
import { useWasIdle } from './when-idle.ts';
import './palette.css';

/** Ctrl or Cmd+K: every command and setting by its name, threads, runs and agents by names, ids and text. */
export function Palette(): ReactNode {
  const wasIdle = useWasIdle();
  const { opened } = useSpotlight(paletteStore);
  return (wasIdle || opened) && <PaletteDialog />;
}

function PaletteDialog(): ReactNode {
  const [query, setQuery] = useState('');
  /** An arrow key was pressed since something was typed. */
  const hasMoved = useRef(false);
  return (
    <Spotlight.Root
      store={paletteStore}
      query={query}
      onQueryChange={(next) => {
        hasMoved.current = false;
        setQuery(next);
      }}
      shortcut={null}
      size={640}
      // Fixed under the header: centred, it would jump with every letter.
      centered={false}
      yOffset="12vh"
      maxHeight={480}
      scrollable
      transitionProps={{ duration: 80 }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
    >
      <Spotlight.Search
        placeholder="Search threads, runs, agents, settings and commands, or paste an id"
        aria-label="Command, id or text"
        leftSection={<IconSearch size={16} aria-hidden />}
        onKeyDown={({ key }) => {
          if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true;
        }}
      />
      <Results query={query} hasMoved={hasMoved} />
    </Spotlight.Root>
  );
}

interface ResultsProps {
  readonly query: string;
  readonly hasMoved: RefObject<boolean>;
}

/** Only on the page while the palette is open: a closed one searches nothing. */
function Results({ query, hasMoved }: ResultsProps): ReactNode {
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  const commands = useCommandEntries(query);
  const { entries, trouble, isSearching } = useFound(query);
  const ids = idCommands(query).map(asEntry);
  // A word may also be an id; more likely it is a name, or text.
  const found = isLikelyId(query)
    ? [...ids, ...commands, ...entries]
    : [...commands, ...entries, ...ids];
  const groups = [...new Set(found.map(({ group }) => group))];
  const order = found.map(({ id }) => id).join('\n');
  useEffect(() => {
    if (query !== '') keepSelection(list.current, { hasMoved: hasMoved.current });
  }, [query, order, hasMoved]);
  return (
    <>
      <Spotlight.ActionsList ref={list} aria-label="Results" aria-busy={isSearching}>
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {found
              .filter((entry) => entry.group === group)
              .map((entry) => (
                <Line
                  key={entry.id}
                  entry={entry}
                  onRun={() => entry.run({ navigate: (to) => void navigate(to) })}
                />
              ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && (
          <Spotlight.Empty>{isSearching ? 'Searching…' : 'Nothing found.'}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      {trouble !== undefined && (
        <p className="palette-trouble clip dim small" role="status">
          {trouble}
        </p>
      )}
    </>
  );
}

/** The commands that fit. */
function useCommandEntries(query: string): readonly Entry[] {
  const commands = useOfferedCommands().filter(
    ({ keysOnly, isOnlyFound }) => keysOnly !== true && (isOnlyFound !== true || query !== ''),
  );
  return rankCommands(commands, query).map(asEntry);
}

function asEntry(command: Command): Entry {
  return { ...command, kind: 'command' };
}

const icons: Readonly<Record<Entry['kind'], TablerIcon>> = {
  command: IconArrowRight,
  agent: IconRobot,
  thread: IconMessages,
  run: IconPlayerPlay,
};

function Line({ entry, onRun }: { entry: Entry; onRun(): void }): ReactNode {
  const { kind, label, detail, status, keys } = entry;
  const Icon = icons[kind];
  return (
    <Spotlight.Action
      label={label}
      leftSection={<Icon size={14} aria-hidden />}
      rightSection={
        <>
          {detail !== undefined && <span className="palette-detail clip">{detail}</span>}
          {status !== undefined && <StatusBadge status={status} />}
          {keys !== undefined && <KeyNames keys={keys} />}
        </>
      }
      onClick={onRun}
    />
  );
}
