import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { getRun, type Run, type TraceSpan } from '../../../api/generated/index.ts';
import { runTraceQuery } from '../../../api/queries/run-trace.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { formatCost, formatDuration, formatNumber } from '../../../ui/format.ts';
import { JsonDiff } from '../../../ui/json/json-diff.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { createFilteredEvents } from '../events/event-filter.ts';
import { RunDuration } from '../run-duration.tsx';
import { errorTitle } from '../run-error.tsx';
import { runUuid } from '../run-queries.ts';
import { RunStatus } from '../run-status.tsx';
import { useFold } from '../events/use-fold.ts';
import { useRunStream } from '../use-run-stream.ts';
import { createWaterfall, type Lane } from '../events/waterfall.ts';
import './compare.css';
import { runPath } from '../../../state/page-paths.ts';

/** Two runs side by side. */
export function Component(): ReactNode {
  const [search] = useSearchParams();
  const a = search.get('a') ?? '';
  const b = search.get('b') ?? '';
  const runs = useQuery({
    queryKey: ['compare', a, b],
    queryFn: async ({ signal }) =>
      Promise.all(
        [a, b].map(
          async (run_id) => (await getRun({ path: { run_id }, signal, throwOnError: true })).data,
        ),
      ),
    enabled: a !== '' && b !== '',
  });
  if (a === '' || b === '') {
    return (
      <EmptyState
        title="Compare two runs"
        text="Select two in the list of runs, of one thread or of two, and choose Compare."
      />
    );
  }
  if (runs.isError) {
    return (
      <ErrorView
        error={runs.error}
        title="The runs could not be read"
        onRetry={() => void runs.refetch()}
      />
    );
  }
  const [first, second] = runs.data ?? [];
  if (first === undefined || second === undefined) return <PageSkeleton label="Loading the runs" />;
  return <Comparison a={first} b={second} />;
}

const createCounts = () =>
  createFilteredEvents({ hiddenTypes: new Set(), text: '', range: undefined });

function useFigures(run: Run) {
  const stream = useRunStream(run.thread_id, run.run_id);
  const { fold: events } = useFold(stream, createCounts, 200);
  const { fold: waterfall } = useFold(stream, createWaterfall, 200);
  const trace = useQuery(runTraceQuery(run.run_id, false)).data;
  return {
    counts: events.counts,
    hasGap: events.hasGap,
    times: trace === undefined ? laneTimes(waterfall.lanes()) : nodeTimes(trace.spans),
    recorded: trace?.run,
  };
}

function Comparison({ a, b }: { a: Run; b: Run }): ReactNode {
  const figures = [useFigures(a), useFigures(b)] as const;
  const dropped = ['A', 'B'].filter((_, index) => figures[index]?.hasGap === true);
  // Of a run whose events were dropped only the last values remain; they would be compared with a whole run.
  const types = [
    ...new Set(figures.flatMap(({ counts, hasGap }) => (hasGap ? [] : [...counts.keys()]))),
  ];
  const nodes = [...new Set(figures.flatMap(({ times }) => [...times.keys()]))];
  const [recordedA, recordedB] = figures.map(({ recorded }) => recorded);
  const [before, after] = useMemo(() => [a.output ?? null, b.output ?? null], [a.output, b.output]);
  return (
    <article className="compare scroll" aria-label="Two runs compared">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <h1>Compare</h1>
            </th>
            {[a, b].map((run, index) => (
              <th scope="col" key={run.run_id}>
                {index === 0 ? 'A' : 'B'}{' '}
                <Link to={runPath(run)}>
                  <ShortId id={runUuid(run.run_id)} isPlain />
                </Link>
              </th>
            ))}
            <th scope="col">B − A</th>
          </tr>
        </thead>
        <tbody>
          <Row
            name="status"
            cells={[a, b].map((run) => (
              <RunStatus key={run.run_id} run={run} />
            ))}
          />
          <Row name="agent" cells={[a.agent_id, b.agent_id]} />
          <Row
            name="started"
            cells={[a, b].map((run) => (
              <TimeAgo key={run.run_id} time={run.created_at} />
            ))}
          />
          <Row
            name="took"
            cells={[a, b].map((run) => (
              <RunDuration key={run.run_id} run={run} />
            ))}
            difference={signed(took(b) - took(a), formatDuration)}
          />
          <Row name="attempt" cells={[a.attempt ?? 1, b.attempt ?? 1]} />
          {recordedA !== undefined && recordedB !== undefined && (
            <Row
              name="tokens"
              cells={[recordedA, recordedB].map(({ tokens }) => formatNumber(tokens.total))}
              difference={signed(recordedB.tokens.total - recordedA.tokens.total, formatNumber)}
            />
          )}
          {recordedA?.cost !== undefined && recordedB?.cost !== undefined && (
            <Row
              name="cost"
              cells={[formatCost(recordedA.cost), formatCost(recordedB.cost)]}
              difference={signed(recordedB.cost - recordedA.cost, formatCost)}
            />
          )}
          {(a.error ?? b.error) !== undefined && (
            <Row
              name="error"
              cells={[a, b].map(({ error }) => (error === undefined ? '' : errorTitle(error)))}
            />
          )}
        </tbody>
        <tbody aria-label="Events">
          <Heading text="Events" />
          {types.map((type) => {
            const [x, y] = figures.map(({ counts, hasGap }) =>
              hasGap ? undefined : (counts.get(type) ?? 0),
            );
            return (
              <Row
                key={type}
                name={type}
                cells={[count(x), count(y)]}
                difference={x === undefined || y === undefined ? '' : signed(y - x, formatNumber)}
              />
            );
          })}
          {types.length === 0 && dropped.length === 0 && <Note text="No events." />}
          {dropped.length > 0 && (
            <Note
              text={`The events of ${dropped.join(' and ')} are no longer kept: they are deleted ten minutes after the end of a run.`}
            />
          )}
        </tbody>
        <tbody aria-label="Time per node">
          <Heading text="Time per node" />
          {nodes.map((node) => {
            const [x, y] = figures.map(({ times }) => times.get(node));
            return (
              <Row
                key={node}
                name={node}
                cells={[time(x), time(y)]}
                difference={x === undefined || y === undefined ? '' : signed(y - x, formatDuration)}
              />
            );
          })}
          {nodes.length === 0 && <Note text="No times of nodes are recorded." />}
        </tbody>
      </table>
      <section className="compare-output" aria-label="Output">
        <h2>Output</h2>
        <JsonDiff before={before} after={after} labels={['A', 'B']} mode="structure" />
      </section>
    </article>
  );
}

function Row(props: { name: string; cells: readonly ReactNode[]; difference?: string }): ReactNode {
  return (
    <tr>
      <th scope="row">{props.name}</th>
      {props.cells.map((cell, index) => (
        // Two cells, always in this order.
        <td key={index}>{cell}</td>
      ))}
      <td className="dim numeric">{props.difference}</td>
    </tr>
  );
}

function Heading({ text }: { text: string }): ReactNode {
  return (
    <tr className="compare-heading">
      <th scope="rowgroup" colSpan={4}>
        {text}
      </th>
    </tr>
  );
}

function Note({ text }: { text: string }): ReactNode {
  return (
    <tr>
      <td colSpan={4} className="dim">
        {text}
      </td>
    </tr>
  );
}

function took(run: Run): number {
  return Date.parse(run.updated_at) - Date.parse(run.created_at);
}

/** The time in each node, from the events of a run without a trace. */
function laneTimes(lanes: readonly Lane[]): ReadonlyMap<string, number> {
  return new Map(
    lanes.map(({ key, bars }) => [
      key,
      bars.reduce((sum, { start, end }) => sum + ((end ?? start) - start), 0),
    ]),
  );
}

/** The time in each node, in all of its runs together. */
function nodeTimes(spans: readonly TraceSpan[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { kind, name, duration_ms = 0 } of spans)
    if (kind === 'node') times.set(name, (times.get(name) ?? 0) + duration_ms);
  return times;
}

function count(events: number | undefined): string {
  return events === undefined ? '–' : formatNumber(events);
}

function time(ms: number | undefined): string {
  return ms === undefined ? '' : formatDuration(ms);
}

function signed(difference: number, format: (value: number) => string): string {
  if (difference === 0) return '=';
  return `${difference > 0 ? '+' : '−'}${format(Math.abs(difference))}`;
}
