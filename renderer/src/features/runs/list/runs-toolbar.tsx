import { Button, Group } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode, Ref } from 'react';
import { listAgentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { runStatuses } from '../../../api/run-statuses.ts';
import { formatDuration, shortenMiddle } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { TimeStyleSwitch } from '../../../ui/time-ago.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { FilterMenu } from '../../../ui/filters/filter-menu.tsx';
import { type RunsFilter, tookTimes } from './runs-filter.ts';
import { SearchField } from './search-field.tsx';
import { TimeMenu } from './time-menu.tsx';
import { useFacets } from './use-facets.ts';

interface RunsToolbarProps {
  readonly filter: RunsFilter;
  readonly onChange: (filter: RunsFilter, how?: { readonly replace: boolean }) => void;
  readonly onRun: () => void;
  readonly onId: (runId: string) => void;
  readonly inputRef: Ref<HTMLInputElement>;
}

/** The search and the filters of the list of runs. */
export function RunsToolbar(props: RunsToolbarProps): ReactNode {
  const { filter, onChange, onRun, onId, inputRef } = props;
  const counts = useFacets(filter);
  const agents = useQuery({ ...listAgentsOptions(), staleTime: 30_000 });
  const { isCapped } = counts;
  return (
    <header className="runs-toolbar row wrap">
      <h1>Runs</h1>
      <SearchField
        text={filter.text}
        // One step of the history for a search, not one for each letter.
        onText={(text) => onChange({ ...filter, text }, { replace: filter.text !== '' })}
        onId={onId}
        inputRef={inputRef}
      />
      <Group gap={4}>
        <FilterMenu
          label="Status"
          values={runStatuses}
          chosen={filter.statuses}
          counts={counts.status}
          isCapped={isCapped}
          show={(status) => <StatusBadge status={status} />}
          onChange={(chosen) =>
            onChange({ ...filter, statuses: runStatuses.filter((one) => chosen.includes(one)) })
          }
        />
        <FilterMenu
          label="Agent"
          values={known(
            agents.data?.map(({ agent_id }) => agent_id),
            counts.agent,
            filter.agents,
          )}
          chosen={filter.agents}
          counts={counts.agent}
          isCapped={isCapped}
          onChange={(chosen) => onChange({ ...filter, agents: chosen })}
        />
        <FilterMenu
          label="Error"
          values={known([], counts.error, filter.error === undefined ? [] : [filter.error])}
          chosen={filter.error === undefined ? [] : [filter.error]}
          counts={counts.error}
          isCapped={isCapped}
          isSingle
          none="No errors"
          onChange={([error]) => onChange({ ...filter, error })}
        />
        <FilterMenu
          label="Took"
          values={tookTimes.map(String)}
          chosen={filter.tookMs === undefined ? [] : [String(filter.tookMs)]}
          counts={undefined}
          isCapped={false}
          isSingle
          name={longerThan}
          onChange={([ms]) =>
            onChange({ ...filter, tookMs: ms === undefined ? undefined : Number(ms) })
          }
        />
        <TimeMenu window={filter.window} onChange={(window) => onChange({ ...filter, window })} />
        {filter.thread !== undefined && (
          <FilterChip
            name="thread"
            label={shortenMiddle(filter.thread, 17)}
            title={filter.thread}
            onRemove={() => onChange({ ...filter, thread: undefined })}
          />
        )}
      </Group>
      <Group gap={6} ml="auto">
        <TimeStyleSwitch />
        <Button
          variant="filled"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          onClick={onRun}
        >
          Run
        </Button>
      </Group>
    </header>
  );
}

function longerThan(ms: string): string {
  return `at least ${formatDuration(Number(ms))}`;
}

/** Every value that is there or was chosen, the most frequent first. */
function known(
  listed: readonly string[] = [],
  counts: Readonly<Record<string, number>> = {},
  chosen: readonly string[],
): readonly string[] {
  const all = new Set([...Object.keys(counts), ...listed, ...chosen]);
  return [...all].toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a.localeCompare(b));
}
