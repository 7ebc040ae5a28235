import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useState } from 'react';
import { runStatuses } from '../../../api/run-statuses.ts';
import { shortenMiddle } from '../../../ui/format.ts';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { FilterMenu } from '../../../ui/filters/filter-menu.tsx';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { agentsQuery } from '../queries.ts';
import { type ThreadFilter, threadStatuses, withTyped, wordsIn } from './thread-filter.ts';

/** Typing has paused for so long. */
const SEARCH_AFTER_MS = 250;

interface FilterBarProps {
  readonly filter: ThreadFilter;
  readonly onChange: (filter: ThreadFilter) => void;
  readonly inputRef: Ref<HTMLInputElement>;
}

/** Narrows the list: words, an id or `key=value` by typing, status, agent and newest run from menus. */
export function FilterBar({ filter, onChange, inputRef }: FilterBarProps): ReactNode {
  const agents = useQuery(agentsQuery);
  const { status, agent, runStatus, ...rest } = filter;
  const names = (agents.data ?? []).map(({ name }) => name);
  return (
    <div className="filter-bar" role="search" aria-label="Filter threads">
      <TypedFilter {...{ filter, onChange, inputRef }} />
      <div className="filter-bar-menus row wrap">
        <Choice
          label="Status"
          value={status}
          values={threadStatuses}
          isStatus
          onChange={(value) => onChange({ ...rest, ...pick({ agent, runStatus, status: value }) })}
        />
        <Choice
          label="Agent"
          value={agent}
          values={names}
          onChange={(value) => onChange({ ...rest, ...pick({ agent: value, runStatus, status }) })}
        />
        <Choice
          label="Newest run"
          value={runStatus}
          values={runStatuses}
          isStatus
          onChange={(value) => onChange({ ...rest, ...pick({ agent, runStatus: value, status }) })}
        />
      </div>
      <Chips filter={filter} onChange={onChange} />
    </div>
  );
}

type Picked = Pick<ThreadFilter, 'agent' | 'runStatus' | 'status'>;

/** Omits what is not chosen: in the filter, absent and undefined are the same. */
function pick(values: { [Name in keyof Picked]: string | undefined }): Picked {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Words take effect as they are typed; ids, pairs and statuses with Enter. */
function TypedFilter({ filter, onChange, inputRef }: FilterBarProps): ReactNode {
  const [typed, setTyped] = useState(filter.text ?? '');
  const [shown, setShown] = useState(filter.text);
  const [searched, setSearched] = useState(filter.text);
  if (filter.text !== shown) {
    setShown(filter.text);
    // Another view was chosen: it is not what was typed here.
    if (filter.text !== searched) setTyped(filter.text ?? '');
  }
  const { text: _, ...rest } = filter;
  const search = (text: string | undefined): void => {
    setSearched(text);
    onChange({ ...rest, ...(text !== undefined && { text }) });
  };
  const searchSoon = useDebouncedCallback((value: string) => {
    const text = wordsIn(value);
    if (text !== filter.text && (text !== undefined || value.trim() === '')) search(text);
  }, SEARCH_AFTER_MS);
  const submit = (): void => {
    if (typed.trim() === '') return;
    const next = withTyped(rest, typed);
    setSearched(next.text);
    setTyped(next.text ?? '');
    onChange(next);
  };
  return (
    <TextInput
      ref={inputRef}
      value={typed}
      placeholder="Search text, id or key=value"
      aria-label="Search text, id or key=value"
      leftSection={<IconSearch size={14} aria-hidden />}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        searchSoon(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') submit();
        else if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly isStatus?: boolean;
  readonly onChange: (value: string | undefined) => void;
}

function Choice({ label, value, values, isStatus, onChange }: ChoiceProps): ReactNode {
  return (
    <FilterMenu
      label={label}
      values={values}
      chosen={value === undefined ? [] : [value]}
      isSingle
      onChange={([next]) => onChange(next)}
      {...(isStatus === true && { show: (status: string) => <StatusBadge status={status} /> })}
    />
  );
}

function Chips({ filter, onChange }: Pick<FilterBarProps, 'filter' | 'onChange'>): ReactNode {
  const chips = [
    ...filter.ids.map((id) => ({
      key: `id ${id}`,
      label: shortenMiddle(id, 17),
      next: { ...filter, ids: filter.ids.filter((other) => other !== id) },
    })),
    ...filter.metadata.map(([key, value]) => ({
      key: `meta ${key}`,
      label: `${key}=${value}`,
      next: { ...filter, metadata: filter.metadata.filter(([other]) => other !== key) },
    })),
  ];
  if (chips.length === 0) return null;
  return (
    <div className="filter-chips row wrap">
      {chips.map(({ key, label, next }) => (
        <FilterChip key={key} label={label} onRemove={() => onChange(next)} />
      ))}
    </div>
  );
}
