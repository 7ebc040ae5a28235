import { useMemo, type KeyboardEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { formatNumber, formatSize } from '../../ui/format.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { SizeBar } from '../../ui/size-bar.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { layOutGraph } from './checkpoint-graph.ts';
import { checkpointStories } from './checkpoint-story.ts';
import { namespaceName, type Checkpoint } from './checkpoint.ts';
import { GraphCell, graphWidth } from './graph-cell.tsx';
import type { Marks } from './marks.ts';
import { treeRows, type TreeRow } from './tree-rows.ts';
import { runPath } from '../../state/page-paths.ts';

const idOf = ({ id }: TreeRow): string => id;
const isHead = ({ kind }: TreeRow): boolean => kind === 'run';
const commands = {
  group: 'Checkpoints',
  next: 'Older checkpoint',
  previous: 'Newer checkpoint',
};

interface CheckpointTreeProps {
  readonly threadId: string;
  readonly checkpoints: readonly Checkpoint[];
  /** Whether a run has a page in this thread. */
  readonly isOwnRun: (runId: string) => boolean;
  readonly at: string | undefined;
  readonly marks: Marks;
  /** By keys, which may skip many. */
  readonly onMove: (id: string) => void;
  /** By a click. */
  readonly onChoose: (id: string) => void;
  readonly onMark: (id: string) => void;
  readonly onOpen: () => void;
  readonly onEnd: () => void;
  readonly footer: ReactNode;
}

/** One row per checkpoint, newest first, with its line of descent, its origin and its size. */
export function CheckpointTree(props: CheckpointTreeProps): ReactNode {
  const { threadId, checkpoints, isOwnRun, at, marks, onMove, onChoose, onMark, onEnd } = props;
  const graph = useMemo(() => layOutGraph(checkpoints), [checkpoints]);
  const stories = useMemo(() => checkpointStories(checkpoints), [checkpoints]);
  const rows = useMemo(() => treeRows(checkpoints, graph, stories), [checkpoints, graph, stories]);
  const largest = useMemo(() => Math.max(1, ...checkpoints.map(({ size }) => size)), [checkpoints]);
  const width = graphWidth(graph.laneCount);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== ' ' || at === undefined) return;
    event.preventDefault();
    onMark(at);
  };

  return (
    <div className="pane" onKeyDown={onKeyDown}>
      <VirtualList
        label="Checkpoints, newest first"
        items={rows}
        idOf={idOf}
        rowHeight={26}
        currentId={at}
        isHead={isHead}
        onMove={({ id }) => onMove(id)}
        commands={commands}
        onOpen={props.onOpen}
        onRange={(_, last) => {
          if (last >= rows.length - 15) onEnd();
        }}
        footer={props.footer}
        renderRow={(row) =>
          row.kind === 'run' ? (
            <RunHead row={row} threadId={threadId} isOwnRun={isOwnRun} width={width} />
          ) : (
            <CheckpointLine
              row={row}
              largest={largest}
              laneCount={graph.laneCount}
              isSelected={row.id === at}
              mark={row.id === marks.a ? 'A' : row.id === marks.b ? 'B' : undefined}
              onClick={(isMarking) => (isMarking ? onMark : onChoose)(row.id)}
            />
          )
        }
      />
    </div>
  );
}

interface RunHeadProps {
  readonly row: Extract<TreeRow, { kind: 'run' }>;
  readonly threadId: string;
  readonly isOwnRun: (runId: string) => boolean;
  readonly width: number;
}

function RunHead({ row, threadId, isOwnRun, width }: RunHeadProps): ReactNode {
  const { runId, agentId, count, lanes } = row;
  const navigate = useNavigate();
  return (
    <div className="checkpoint-run row dim small">
      <span className="checkpoint-bracket checkpoint-bracket-top" />
      <svg className="graph-cell" width={width} height={26} aria-hidden="true">
        {lanes.map((lane) => (
          <path key={lane} d={`M${Math.min(lane, 6) * 12 + 8} 0V26`} />
        ))}
      </svg>
      {runId === undefined ? (
        <span>no run</span>
      ) : !isOwnRun(runId) ? (
        <span title={copiedFrom}>
          run <ShortId id={runId} isPlain />
        </span>
      ) : (
        // A link within a row would be a control within a control: the detail has it for the keyboard.
        <span
          className="checkpoint-run-name"
          onClick={() => void navigate(runPath({ thread_id: threadId, run_id: runId }))}
        >
          run <ShortId id={runId} isPlain />
        </span>
      )}
      {agentId !== undefined && <span>{agentId}</span>}
      <span className="grow" />
      <span>
        {formatNumber(count)} {count === 1 ? 'checkpoint' : 'checkpoints'}
      </span>
    </div>
  );
}

interface CheckpointLineProps {
  readonly row: Extract<TreeRow, { kind: 'checkpoint' }>;
  readonly largest: number;
  readonly laneCount: number;
  readonly isSelected: boolean;
  readonly mark: 'A' | 'B' | undefined;
  readonly onClick: (isMarking: boolean) => void;
}

function CheckpointLine(props: CheckpointLineProps): ReactNode {
  const { row, largest, laneCount, isSelected, mark } = props;
  const { checkpoint, story, graph, isEnd } = row;
  const { ns, step, source, createdAt, size, problem, nextNodes } = checkpoint;
  const changed = story?.changed ?? [];
  return (
    <div className="checkpoint-line row small" onClick={(event) => props.onClick(event.shiftKey)}>
      <span className={`checkpoint-bracket${isEnd ? ' checkpoint-bracket-end' : ''}`} />
      <GraphCell row={graph} laneCount={laneCount} isRoot={ns === ''} isSelected={isSelected} />
      <span className="checkpoint-step dim mono">{step ?? '–'}</span>
      <span className="checkpoint-what row grow">
        {ns !== '' && <span className="clip dim">{namespaceName(ns)} / </span>}
        <span className={source === 'loop' ? 'clip' : 'clip dim'}>
          {whatMade(source, story?.nodes ?? [], step)}
        </span>
        {changed.length > 0 && (
          <span className="clip grow dim mono" title={`Changed: ${changed.join(', ')}`}>
            {changed.join(', ')}
          </span>
        )}
      </span>
      {story?.isLast === true && nextNodes.length > 0 && (
        <span className="is-warning" title="Runs next, or waits for an answer">
          → {nextNodes.join(', ')}
        </span>
      )}
      {problem !== undefined && <span className="is-error">damaged</span>}
      {mark !== undefined && <span className="checkpoint-mark">{mark}</span>}
      <span className="checkpoint-number dim">
        <TimeAgo time={createdAt} />
      </span>
      <span className="checkpoint-number dim mono">{formatSize(size)}</span>
      <SizeBar percent={(100 * size) / largest} />
    </div>
  );
}

/** Says why a run has no page here. */
export const copiedFrom = 'A run of the thread that this one was copied from';

/** The label for a checkpoint's origin: its nodes, or its source. */
export function whatMade(source: string, nodes: readonly string[], step?: number): string {
  if (nodes.length > 0) return nodes.join(', ');
  if (source === 'loop') return step === 0 ? 'start' : 'step';
  return source === '' ? 'unknown' : source;
}
