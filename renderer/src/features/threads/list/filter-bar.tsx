import { Menu, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useState } from 'react';
import { shortenMiddle } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { agentsQuery } from '../queries.ts';
import { runStatuses, type ThreadFilter, threadStatuses, withTyped } from './thread-filter.ts';

interface FilterBarProps {
  readonly filter: ThreadFilter;
  readonly onChange: (filter: ThreadFilter) => void;
  readonly inputRef: Ref<HTMLInputElement>;
}

/** Narrows the list: an id or `key=value` by typing, status, agent and newest run from menus. */
export function FilterBar({ filter, onChange, inputRef }: FilterBarProps): ReactNode {
  const agents = useQuery(agentsQuery);
  const { status, agent, runStatus, ...rest } = filter;
  const names = (agents.data ?? []).map(({ name }) => name);
  return (
    <div className="filter-bar" role="search" aria-label="Filter threads">
      <TypedFilter {...{ filter, onChange, inputRef }} />
      <div className="filter-bar-menus">
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

function TypedFilter({ filter, onChange, inputRef }: FilterBarProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    if (typed.trim() === '') return;
    const next = withTyped(filter, typed);
    if (next === undefined) return setProblem('Type an id, or key=value for metadata.');
    setTyped('');
    onChange(next);
  };
  return (
    <TextInput
      ref={inputRef}
      value={typed}
      placeholder="Id or key=value"
      aria-label="Filter by id or key=value"
      leftSection={<IconSearch size={14} aria-hidden />}
      error={problem}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        setProblem(undefined);
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
    <Menu position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="filter-choice" data-chosen={value !== undefined || undefined}>
          <span>{value === undefined ? label : `${label}: ${value}`}</span>
          <IconChevronDown size={12} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChange(undefined)}>Any</Menu.Item>
        {values.map((one) => (
          <Menu.Item
            key={one}
            onClick={() => onChange(one)}
            data-chosen={one === value || undefined}
          >
            {isStatus === true ? <StatusBadge status={one} /> : one}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
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
    <div className="filter-chips">
      {chips.map(({ key, label, next }) => (
        <button
          key={key}
          className="filter-chip"
          type="button"
          aria-label={`Remove filter ${label}`}
          onClick={() => onChange(next)}
        >
          <span>{label}</span>
          <IconX size={12} aria-hidden />
        </button>
      ))}
    </div>
  );
}
