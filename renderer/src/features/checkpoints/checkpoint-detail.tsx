import { Group, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonDiff } from '../../ui/json/json-diff.tsx';
import { JsonView } from '../../ui/json/json-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import type { CheckpointStory } from './checkpoint-story.ts';
import { copiedFrom, whatMade } from './checkpoint-tree.tsx';
import { namespaceName, type Checkpoint } from './checkpoint.ts';
import { useCheckpointValues } from './use-checkpoint-values.ts';
import { runPath } from '../../state/page-paths.ts';
import { Fact, Facts } from '../../ui/facts.tsx';

export const views = ['values', 'changes', 'metadata'] as const;
export type View = (typeof views)[number];

/** A checkpoint with its label in a comparison. */
export interface Side {
  readonly id: string;
  readonly label: string;
}

interface CheckpointDetailProps {
  readonly threadId: string;
  readonly checkpoint: Checkpoint;
  /** Whether a run has a page in this thread. */
  readonly isOwnRun: (runId: string) => boolean;
  readonly story: CheckpointStory | undefined;
  readonly pair: readonly [Side, Side] | undefined;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly actions: ReactNode;
}

/** One checkpoint: its values, what changed, its metadata. */
export function CheckpointDetail(props: CheckpointDetailProps): ReactNode {
  const { threadId, checkpoint, isOwnRun, story, pair, view, onView, actions } = props;
  const { id, ns, step, source, runId, createdAt, nextNodes } = checkpoint;
  return (
    <section className="pane" aria-label="Checkpoint">
      <header className="detail-head">
        <h2>
          Step {step ?? '–'}: {ns !== '' && `${namespaceName(ns)} / `}
          {whatMade(source, story?.nodes ?? [], step)}
        </h2>
        <Group gap={4} flex="1 1 auto" justify="flex-end">
          {actions}
        </Group>
        <Facts isLine>
          <Fact name="checkpoint">
            <ShortId id={id} />
          </Fact>
          {runId !== undefined && (
            <Fact name="run">
              {isOwnRun(runId) ? (
                <Link to={runPath({ thread_id: threadId, run_id: runId })}>
                  <ShortId id={runId} isPlain />
                </Link>
              ) : (
                <span title={copiedFrom}>
                  <ShortId id={runId} isPlain />
                </span>
              )}
            </Fact>
          )}
          <Fact name="saved">
            <TimeAgo time={createdAt} />
          </Fact>
          {nextNodes.length > 0 && <Fact name="next">{nextNodes.join(', ')}</Fact>}
        </Facts>
      </header>
      <div className="toolbar">
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={(value) => onView(views.find((name) => name === value) ?? 'values')}
          data={[
            { value: 'values', label: 'Values' },
            { value: 'changes', label: 'Changes' },
            { value: 'metadata', label: 'Metadata' },
          ]}
        />
      </div>
      <div className="pane">
        {view === 'values' && <Values threadId={threadId} checkpointId={id} />}
        {view === 'changes' && <Changes threadId={threadId} pair={pair} source={source} />}
        {view === 'metadata' && (
          <JsonView label="Metadata" value={{ ...checkpoint.metadata, checkpoint_ns: ns }} />
        )}
      </div>
    </section>
  );
}

function Values({ threadId, checkpointId }: { threadId: string; checkpointId: string }): ReactNode {
  const { data, error, refetch } = useCheckpointValues(threadId, checkpointId);
  if (error !== null)
    return (
      <ErrorView
        error={error}
        title="The values could not be read"
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <PageSkeleton label="Reading the values" />;
  return <JsonView label="Values" document={data} part={data.outline} />;
}

interface ChangesProps {
  readonly threadId: string;
  readonly pair: readonly [Side, Side] | undefined;
  readonly source: string;
}

function Changes({ threadId, pair, source }: ChangesProps): ReactNode {
  const before = useCheckpointValues(threadId, pair?.[0].id);
  const after = useCheckpointValues(threadId, pair?.[1].id);
  if (pair === undefined)
    return (
      <p className="hint small">
        {source === 'input'
          ? 'This is the first checkpoint: there is none before it to compare with.'
          : 'The checkpoint before this one is no longer retained.'}{' '}
        Mark two checkpoints with <kbd>Space</kbd> to compare them.
      </p>
    );
  const error = before.error ?? after.error;
  if (error !== null) return <ErrorView error={error} title="The values could not be read" />;
  if (before.data === undefined || after.data === undefined)
    return <PageSkeleton label="Reading the values" />;
  return <JsonDiff documents={[before.data, after.data]} labels={[pair[0].label, pair[1].label]} />;
}
