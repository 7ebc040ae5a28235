import { Autocomplete, Input, SegmentedControl, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { searchThreads } from '../../api/queries/thread-search.ts';
import type { AccessParams } from './access-params.ts';
import type { PrincipalChoice } from './use-principal-choices.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

interface PermissionFormProps {
  readonly params: AccessParams;
  readonly onChange: (change: Partial<AccessParams>) => void;
  readonly choices: readonly PrincipalChoice[];
  readonly choice: PrincipalChoice | undefined;
}

const things = [
  { value: '', label: 'Service' },
  { value: 'thread', label: 'Thread' },
  { value: 'agent', label: 'Agent' },
] as const;

/** The principal, and the thread or agent. */
export function PermissionForm({
  params,
  onChange,
  choices,
  choice,
}: PermissionFormProps): ReactNode {
  const groups = [...new Set(choices.map(({ group }) => group))].map((group) => ({
    group,
    items: choices
      .filter((one) => one.group === group)
      .map(({ id, name }) => ({ value: id, label: name })),
  }));
  return (
    <div className="permission-form toolbar" role="toolbar" aria-label="Permissions of">
      <Select
        size="xs"
        flex="0 1 300px"
        label="Principal"
        data={groups}
        value={choice?.id ?? null}
        allowDeselect={false}
        searchable={choices.length > 8}
        nothingFoundMessage="No such principal"
        onChange={(id) => onChange({ as: id ?? '', why: '' })}
      />
      <Input.Wrapper
        label="About"
        labelElement="div"
        labelProps={{ id: 'permission-about', display: 'block' }}
        size="xs"
      >
        <SegmentedControl
          aria-labelledby="permission-about"
          data={[...things]}
          value={params.about}
          onChange={(about) => onChange({ about, why: '' })}
        />
      </Input.Wrapper>
      {params.about === 'thread' && (
        <ThreadField
          key={params.thread}
          thread={params.thread}
          onChoose={(thread) => onChange({ thread, why: '' })}
        />
      )}
      {params.about === 'agent' && (
        <AgentField agent={params.agent} onChoose={(agent) => onChange({ agent, why: '' })} />
      )}
    </div>
  );
}

interface ThreadFieldProps {
  readonly thread: string;
  readonly onChoose: (thread: string) => void;
}

/** An id is used when it is complete: with Enter, by leaving the field, or when it is chosen from the list. */
function ThreadField({ thread, onChoose }: ThreadFieldProps): ReactNode {
  const [typed, setTyped] = useState(thread);
  const [prefix] = useDebouncedValue(typed.trim(), 250);
  // A principal that may not list threads can still type an id.
  const { data } = useQuery({
    queryKey: threadKeys.ids(prefix),
    queryFn: ({ signal }) =>
      searchThreads(prefix === '' ? {} : { id_prefix: prefix }, { limit: 20, signal }),
    retry: false,
  });
  const choose = (id: string): void => {
    if (id.trim() !== thread) onChoose(id.trim());
  };
  return (
    <Autocomplete
      size="xs"
      flex="0 1 280px"
      label="Thread"
      placeholder="Id of a thread"
      data={data?.threads.map(({ thread_id: id }) => id) ?? []}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={choose}
      onBlur={() => choose(typed)}
      onKeyDown={(press) => {
        if (press.key === 'Enter') choose(typed);
      }}
    />
  );
}

function AgentField({
  agent,
  onChoose,
}: {
  agent: string;
  onChoose: (agent: string) => void;
}): ReactNode {
  const { data = [] } = useQuery(listAgentsOptions());
  const ids = data.map(({ agent_id: id, name }) => ({ value: id, label: name }));
  // A URL may name one that the caller may not see, or that no longer exists.
  const isKnown = agent === '' || ids.some(({ value }) => value === agent);
  return (
    <Select
      size="xs"
      flex="0 1 280px"
      label="Agent"
      placeholder="Choose an agent"
      data={isKnown ? ids : [...ids, { value: agent, label: agent }]}
      value={agent === '' ? null : agent}
      allowDeselect={false}
      onChange={(id) => onChoose(id ?? '')}
    />
  );
}
