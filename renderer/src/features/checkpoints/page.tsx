import { Button } from '@mantine/core';
import { useDeferredValue, useMemo, useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { useQueryMembers, type WriteMembers } from '../../state/query-members.ts';
import { useCommands } from '../../ui/commands.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { CheckpointActions } from './checkpoint-actions.tsx';
import { CheckpointDetail, views, type Side, type View } from './checkpoint-detail.tsx';
import { lineThrough } from './checkpoint-graph.ts';
import { checkpointStories } from './checkpoint-story.ts';
import { CheckpointTree } from './checkpoint-tree.tsx';
import type { Checkpoint } from './checkpoint.ts';
import './checkpoints.css';
import { EditCheckpoint } from './edit-checkpoint.tsx';
import { comparedPair, mark, type Marks } from './marks.ts';
import { RetentionNote } from './retention-note.tsx';
import { Scrubber } from './scrubber.tsx';
import { readValuesAhead } from './use-checkpoint-values.ts';
import { useHistory } from './use-history.ts';
import { useOwnRuns } from './use-own-runs.ts';

/** The checkpoints of a thread: a tree of them, and one of them or the difference of two. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const serviceUrl = useServiceUrl();
  const { history, error, hasOlder, isOlderFailed, refetch, loadOlder } = useHistory(threadId);
  if (history === undefined)
    return error ? (
      <ErrorView error={error} title="The checkpoints could not be read" onRetry={refetch} />
    ) : (
      <PageSkeleton label="Reading the checkpoints" />
    );
  const { checkpoints, isComplete } = history;
  if (checkpoints.length === 0)
    return (
      <EmptyState
        title="No checkpoints yet"
        text="Each step of a run makes one: the state after it, to inspect, to compare and to continue from."
        action={
          <Button component={Link} variant="filled" to="?compose=1">
            Run an agent
          </Button>
        }
        curl={`curl -X POST ${serviceUrl}/threads/${threadId}/runs -H 'Content-Type: application/json' -d '{"input": {}}'`}
      />
    );
  return (
    <Checkpoints
      threadId={threadId}
      checkpoints={checkpoints}
      onEnd={loadOlder}
      footer={
        isComplete ? (
          <RetentionNote isComplete />
        ) : (
          <MoreRows hasMore={hasOlder} isFailed={isOlderFailed} onRetry={loadOlder} />
        )
      }
    />
  );
}

interface CheckpointsProps {
  readonly threadId: string;
  readonly checkpoints: readonly Checkpoint[];
  readonly onEnd: () => void;
  readonly footer: ReactNode;
}

function Checkpoints({ threadId, checkpoints, onEnd, footer }: CheckpointsProps): ReactNode {
  const { at, marks, view, go, setView } = useCheckpointParams(checkpoints);
  const [editing, setEditing] = useState<string>();
  const shownId = useDeferredValue(at);
  const edited = checkpoints.find(({ id }) => id === editing);
  const shown = checkpoints.find(({ id }) => id === shownId);
  const stories = useMemo(() => checkpointStories(checkpoints), [checkpoints]);
  const isOwnRun = useOwnRuns(threadId, checkpoints[0]?.runId);
  const line = useMemo(
    () => (at === undefined ? [] : lineThrough(checkpoints, at)),
    [checkpoints, at],
  );
  const ids = comparedPair(marks, shown?.id, shown?.parentId);
  const side = (id: string): Side => ({ id, label: sideLabel(id, marks, checkpoints) });
  const move = (id: string): void => go({ ...marks, at: id });
  const choose = (id: string): void => {
    if (view === 'values') readValuesAhead(threadId, id);
    move(id);
  };
  const onMark = (id: string): void => {
    const next = mark(marks, id);
    const isPair = next.a !== undefined && next.b !== undefined;
    go({ ...next, at: id, ...(isPair && { view: 'changes' }) });
  };
  const group = 'Checkpoints';
  useCommands([
    {
      id: 'checkpoints.diff',
      label: 'Show values or changes',
      keys: 'd',
      group,
      run: () => setView(view === 'changes' ? 'values' : 'changes'),
    },
    {
      id: 'checkpoints.unmark',
      label: 'Clear the marks A and B',
      group,
      run: () => go({ at, a: undefined, b: undefined }),
    },
  ]);

  return (
    <div className="checkpoints pane">
      <div className="toolbar">
        <Scrubber line={line} at={at} onMove={move} />
        <MarksNote marks={marks} at={at} onClear={() => go({ at, a: undefined, b: undefined })} />
      </div>
      <SplitPane
        name="checkpoints"
        label="Width of the tree"
        initial={440}
        min={320}
        max={800}
        narrow="stack"
        narrowBelow={600}
        first={
          <CheckpointTree
            {...{ threadId, checkpoints, at, marks, onMark, onEnd, footer, isOwnRun }}
            onMove={move}
            onChoose={choose}
            onOpen={() => setView('values')}
          />
        }
        second={
          edited !== undefined ? (
            <EditCheckpoint
              key={edited.id}
              threadId={threadId}
              checkpoint={edited}
              onClose={() => setEditing(undefined)}
            />
          ) : (
            shown && (
              <CheckpointDetail
                {...{ threadId, view, isOwnRun }}
                checkpoint={shown}
                story={stories.get(shown.id)}
                pair={ids && [side(ids[0]), side(ids[1])]}
                onView={setView}
                actions={
                  <CheckpointActions
                    threadId={threadId}
                    checkpoint={shown}
                    onEdit={() => setEditing(shown.id)}
                  />
                }
              />
            )
          )
        }
      />
    </div>
  );
}

interface MarksNoteProps {
  readonly marks: Marks;
  readonly at: string | undefined;
  readonly onClear: () => void;
}

function MarksNote({ marks, at, onClear }: MarksNoteProps): ReactNode {
  if (marks.a === undefined && marks.b === undefined)
    return (
      <span className="row dim small">
        <kbd>Space</kbd> marks A and B to compare
      </span>
    );
  return (
    <span className="row dim small">
      {marks.b === undefined
        ? 'A marked: Space on another marks B'
        : at === marks.a || at === marks.b
          ? 'Comparing A and B'
          : 'A and B marked: open one of them to compare'}
      <button type="button" className="link-button" onClick={onClear}>
        Clear
      </button>
    </span>
  );
}

interface CheckpointParams extends Marks {
  readonly at: string | undefined;
  /** Absent: the view stays. */
  readonly view?: View;
}

/** The cursor, the marks and the view, kept in the URL. The default cursor is the newest checkpoint of the whole graph. */
function useCheckpointParams(checkpoints: readonly Checkpoint[]): {
  at: string | undefined;
  marks: Marks;
  view: View;
  go: (params: CheckpointParams) => void;
  setView: (view: View) => void;
} {
  const [query, writeMembers] = useQueryMembers();
  const newest = checkpoints.find(({ ns }) => ns === '') ?? checkpoints[0];
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  const wanted = given('at');
  const view = views.find((name) => name === given('view')) ?? 'values';
  // The rest of the query is the list's: its filter stays.
  const write = (members: Parameters<WriteMembers>[0]): void =>
    writeMembers(members, { replace: true });
  const isKnown = checkpoints.some(({ id }) => id === wanted);
  return {
    at: isKnown ? wanted : newest?.id,
    marks: { a: given('a'), b: given('b') },
    view,
    go: ({ at, a, b, view: shown }) =>
      write({ at, a, b, ...(shown !== undefined && { view: shown }) }),
    setView: (shown) => write({ view: shown === 'values' ? undefined : shown }),
  };
}

function sideLabel(id: string, { a, b }: Marks, checkpoints: readonly Checkpoint[]): string {
  const step = checkpoints.find((checkpoint) => checkpoint.id === id)?.step;
  const name = step === undefined ? 'checkpoint' : `step ${step}`;
  return id === a ? `A, ${name}` : id === b ? `B, ${name}` : name;
}
