import { Autocomplete, SegmentedControl } from '@mantine/core';
import { type ReactNode, type Ref, useMemo } from 'react';
import type { DecisionFeed, DecisionFeedSnapshot } from '../../api/decision-feed.ts';
import type { AccessRecord } from '../../api/generated/types.gen.ts';
import { formatNumber, shortenMiddle } from '../../ui/format.ts';
import { FilterChip } from '../../ui/filters/filter-chip.tsx';
import { PauseButton } from '../../ui/pause-button.tsx';
import type { AccessParams } from './access-params.ts';

interface DecisionToolbarProps {
  readonly params: AccessParams;
  readonly onChange: (change: Partial<AccessParams>) => void;
  readonly feed: DecisionFeed | undefined;
  readonly snapshot: DecisionFeedSnapshot | undefined;
  readonly search: Ref<HTMLInputElement>;
}

const verdicts = [
  { value: '', label: 'All' },
  { value: 'grant', label: 'Granted' },
  { value: 'deny', label: 'Denied' },
] as const;

/** Pause, the filters for subject, operation and result, and the state of the feed. */
export function DecisionToolbar(props: DecisionToolbarProps): ReactNode {
  const { params, onChange, feed, snapshot, search } = props;
  const seen = useSeen(snapshot?.decisions ?? []);
  return (
    <div className="toolbar" role="toolbar" aria-label="Decisions">
      <PauseButton
        isPaused={snapshot?.isPaused ?? false}
        waiting={snapshot?.waiting ?? 0}
        onPause={() => feed?.pause()}
        onResume={() => feed?.resume()}
      />
      <SegmentedControl
        aria-label="Decision"
        data={[...verdicts]}
        value={params.decision}
        onChange={(decision) => onChange({ decision, id: '' })}
      />
      <Autocomplete
        ref={search}
        size="xs"
        flex="0 1 150px"
        miw={110}
        aria-label="Subject"
        placeholder="Subject"
        data={seen.subjects}
        limit={20}
        value={params.subject}
        onChange={(subject) => onChange({ subject, id: '' })}
        clearable
      />
      <Autocomplete
        size="xs"
        flex="0 1 230px"
        miw={110}
        aria-label="Operation"
        placeholder="Operation, such as service:run:*"
        data={seen.operations}
        limit={40}
        value={params.operation}
        onChange={(operation) => onChange({ operation, id: '' })}
        clearable
      />
      {(['resource', 'request'] as const).map(
        (name) =>
          params[name] !== '' && (
            <FilterChip
              key={name}
              name={name}
              label={shortenMiddle(params[name], 25)}
              title={params[name]}
              onRemove={() => onChange({ [name]: '' })}
            />
          ),
      )}
      <FeedState snapshot={snapshot} />
    </div>
  );
}

function FeedState({ snapshot }: Pick<DecisionToolbarProps, 'snapshot'>): ReactNode {
  if (snapshot === undefined) return null;
  const { connection, decisions, hasOlder, error } = snapshot;
  const count = `${formatNumber(decisions.length)}${hasOlder ? '+' : ''}`;
  return (
    <span className="toolbar-state dim numeric">
      {connection === 'reconnecting' && (
        <span className="is-warning" role="status" title={error?.message}>
          reconnecting …
        </span>
      )}
      {connection === 'failed' && (
        <span className="is-warning" role="status" title={error?.message}>
          stopped
        </span>
      )}
      <span>
        {count} {decisions.length === 1 && !hasOlder ? 'decision' : 'decisions'}
      </span>
    </span>
  );
}

/** The options: the subjects and operations so far, and the kinds of these. */
function useSeen(decisions: readonly AccessRecord[]): {
  readonly subjects: string[];
  readonly operations: string[];
} {
  return useMemo(() => {
    const operations = decisions.map(({ operation }) => operation);
    const kinds = operations.map((operation) => operation.replace(/:[^:]*$/, ':*'));
    return {
      subjects: sorted(decisions.map(({ subject }) => subject)),
      operations: sorted([...operations, ...kinds]),
    };
  }, [decisions]);
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}
