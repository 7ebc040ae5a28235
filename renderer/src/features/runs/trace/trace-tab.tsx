import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Run, RunTrace } from '../../../api/generated/types.gen.ts';
import { runTraceQuery } from '../../../api/queries/run-trace.ts';
import type { RunStream } from '../../../api/run-stream.ts';
import { useQueryMembers } from '../../../state/query-members.ts';
import { type Command, useCommands } from '../../../ui/commands.ts';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { SplitPane } from '../../../ui/split-pane.tsx';
import { isSettled } from '../run-queries.ts';
import { useStreamMember } from '../use-run-stream.ts';
import { NoTrace } from './no-trace.tsx';
import { SpanDetail } from './span-detail.tsx';
import { TraceList } from './trace-list.tsx';
import { failingSpan, slowSpans, traceRows, traceTree } from './trace-rows.ts';
import './trace.css';

interface TraceTabProps {
  readonly run: Run;
  readonly stream: RunStream | undefined;
  readonly onEvents: () => void;
}

/** What happened in a run: its spans as a tree beside their times, and the chosen one. */
export function TraceTab({ run, stream, onEvents }: TraceTabProps): ReactNode {
  const isRunning = !isSettled(run.status);
  const query = useMemo(() => runTraceQuery(run.run_id, isRunning), [run.run_id, isRunning]);
  const trace = useQuery(query);
  const { data } = trace;
  if (data !== undefined && data.spans.length > 0)
    return <Trace trace={data} run={run} stream={stream} isRunning={isRunning} />;
  if (trace.isPending) return <PageSkeleton label="Loading the trace" />;
  return (
    <NoTrace
      run={run}
      error={trace.error}
      onRetry={() => void trace.refetch()}
      onEvents={onEvents}
    />
  );
}

const none: ReadonlySet<string> = new Set();

interface TraceProps {
  readonly trace: RunTrace;
  readonly run: Run;
  readonly stream: RunStream | undefined;
  readonly isRunning: boolean;
}

function Trace({ trace, run, stream, isRunning }: TraceProps): ReactNode {
  const [search, write] = useQueryMembers();
  const [folded, setFolded] = useState(none);
  const clockOffset = useStreamMember(stream, (snapshot) => snapshot.clockOffset) ?? 0;
  const tree = useMemo(() => traceTree(trace.spans), [trace.spans]);
  const rows = useMemo(() => traceRows(tree, folded), [tree, folded]);
  // Before its end nobody knows what the slow parts are.
  const slow = useMemo(() => (isRunning ? none : slowSpans(tree)), [isRunning, tree]);
  const failing = useMemo(
    () => (run.status === 'error' ? failingSpan(tree) : undefined),
    [run.status, tree],
  );
  const named = tree.byId.get(search.get('span') ?? '');
  const selected = named ?? failing ?? tree.roots.at(-1);
  const select = useCallback((id: string) => write({ span: id }, { replace: true }), [write]);
  const fold = useCallback(
    (id: string) =>
      setFolded((before) => {
        const now = new Set(before);
        if (!now.delete(id)) now.add(id);
        return now;
      }),
    [],
  );
  const failed: Command[] =
    failing === undefined
      ? []
      : [
          {
            id: 'trace:failure',
            label: 'Go to the failed span',
            keys: 'f',
            group: 'Trace',
            keysOnly: true,
            run: () => select(failing.id),
          },
        ];
  useCommands(failed);
  return (
    <SplitPane
      name="trace-span"
      label="Width of the span"
      className="trace"
      sized="second"
      initial={420}
      min={280}
      max={1_000}
      narrow="stack"
      narrowBelow={900}
      first={
        <TraceList
          tree={tree}
          rows={rows}
          slow={slow}
          selectedId={selected?.id}
          isRunning={isRunning}
          clockOffset={clockOffset}
          onSelect={select}
          onFold={fold}
        />
      }
      second={
        selected !== undefined && (
          <SpanDetail
            key={selected.id}
            span={selected}
            run={run}
            isFailing={selected.id === failing?.id}
          />
        )
      }
    />
  );
}
