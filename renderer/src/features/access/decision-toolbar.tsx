import { ActionIcon, Autocomplete, SegmentedControl } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { type ReactNode, type Ref, useMemo } from 'react';
import type { DecisionFeed, DecisionFeedSnapshot } from '../../api/decision-feed.ts';
import type { AccessRecord } from '../../api/generated/types.gen.ts';
import { formatNumber, shortenMiddle } from '../../ui/format.ts';
import { tip } from '../../ui/tip.tsx';
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
    <div className="decision-toolbar" role="toolbar" aria-label="Decisions">
      <PauseButton feed={feed} snapshot={snapshot} />
      <SegmentedControl
        aria-label="Decision"
        data={[...verdicts]}
        value={params.decision}
        onChange={(decision) => onChange({ decision, id: '' })}
      />
      <Autocomplete
        ref={search}
        size="xs"
        className="decision-field"
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
        className="decision-field decision-field-wide"
        aria-label="Operation"
        placeholder="Operation, such as service:run:*"
        data={seen.operations}
        limit={40}
        value={params.operation}
        onChange={(operation) => onChange({ operation, id: '' })}
        clearable
      />
      <Chip name="resource" value={params.resource} onRemove={() => onChange({ resource: '' })} />
      <Chip name="request" value={params.request} onRemove={() => onChange({ request: '' })} />
      <FeedState snapshot={snapshot} />
    </div>
  );
}

function PauseButton({
  feed,
  snapshot,
}: Pick<DecisionToolbarProps, 'feed' | 'snapshot'>): ReactNode {
  const isPaused = snapshot?.isPaused ?? false;
  const label = isPaused ? 'Resume (p)' : 'Pause (p)';
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <span className="decision-pause">
      <ActionIcon
        {...tip(label)}
        size="sm"
        variant={isPaused ? 'filled' : 'subtle'}
        color={isPaused ? 'accent' : 'gray'}
        aria-label={label}
        aria-pressed={isPaused}
        onClick={() => (isPaused ? feed?.resume() : feed?.pause())}
      >
        <Icon size={14} aria-hidden />
      </ActionIcon>
      {isPaused && <span role="status">{formatNumber(snapshot?.waiting ?? 0)} waiting</span>}
    </span>
  );
}

interface ChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** A part of the filter that a link has set. */
function Chip({ name, value, onRemove }: ChipProps): ReactNode {
  if (value === '') return null;
  return (
    <button
      type="button"
      className="decision-chip"
      aria-label={`Remove the filter ${name} ${value}`}
      title={value}
      onClick={onRemove}
    >
      <span className="dim">{name}</span>
      <span className="mono">{shortenMiddle(value, 25)}</span>
      <IconX size={12} aria-hidden />
    </button>
  );
}

function FeedState({ snapshot }: Pick<DecisionToolbarProps, 'snapshot'>): ReactNode {
  if (snapshot === undefined) return null;
  const { connection, decisions, hasOlder, error } = snapshot;
  const count = `${formatNumber(decisions.length)}${hasOlder ? '+' : ''}`;
  return (
    <span className="decision-state dim numeric">
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
