import { jsonText } from '../../model/json.ts';
import { NODE_STATS_BYTES, NODE_STATS_RUNS } from '../limits.ts';
import type { NodeFigures, NodeStats, NodeStatsQuery, TraceSpan } from '../port.ts';
import type { OpenHistory } from './open-database.ts';
import { percentile } from './percentile.ts';
import { matching } from './search-runs.ts';

/** Runs whose spans are in memory at once. */
const RUNS_AT_ONCE = 50;

/** What was counted of one node. */
interface Tally {
  runs: number;
  calls: number;
  errors: number;
  durations: number[];
}

/** Figures of each node, from the spans of the newest runs of the window. */
export async function nodeStats(
  history: OpenHistory,
  { from, to, ...filter }: NodeStatsQuery,
): Promise<NodeStats> {
  const newest = await matching(history, filter)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .select('id')
    .orderBy('created_at', 'desc')
    .limit(NODE_STATS_RUNS + 1)
    .execute();
  const tallies = new Map<string, Tally>();
  let [runs, bytes] = [0, 0];
  while (runs < Math.min(newest.length, NODE_STATS_RUNS) && bytes < NODE_STATS_BYTES) {
    const some = newest.slice(runs, Math.min(runs + RUNS_AT_ONCE, NODE_STATS_RUNS));
    bytes += await tallySpans(
      history,
      some.map(({ id }) => id),
      tallies,
    );
    runs += some.length;
  }
  const nodes = [...tallies].map(([node, tally]) => ({ node, ...figuresOf(tally) }));
  return { runs, isCapped: runs < newest.length, nodes };
}

/** Adds the spans of these runs; returns how many bytes were read. */
async function tallySpans(
  { db }: OpenHistory,
  runs: readonly number[],
  tallies: Map<string, Tally>,
): Promise<number> {
  const parts = await db
    .selectFrom('history_parts')
    .select(['run', 'data'])
    .where('run', 'in', [...runs])
    .where('kind', '=', 'spans')
    .orderBy('run')
    .orderBy('seq')
    .execute();
  const ofRuns = new Map<number, Map<string, TraceSpan>>();
  let bytes = 0;
  for (const { run, data } of parts) {
    const spans = ofRuns.get(run) ?? new Map<string, TraceSpan>();
    ofRuns.set(run, spans);
    const text = jsonText(data);
    bytes += text.length;
    // A later span of an id replaces it; as the writer wrote them.
    for (const span of JSON.parse(text) as TraceSpan[]) spans.set(span.id, span);
  }
  for (const spans of ofRuns.values()) tallyRun(spans.values(), tallies);
  return bytes;
}

function tallyRun(spans: Iterable<TraceSpan>, tallies: Map<string, Tally>): void {
  const seen = new Set<string>();
  for (const span of spans) {
    if (span.kind !== 'node') continue;
    const node = pathOf(span);
    const tally = tallies.get(node) ?? { runs: 0, calls: 0, errors: 0, durations: [] };
    tallies.set(node, tally);
    tally.calls += 1;
    if (span.status === 'error') tally.errors += 1;
    if (span.status === 'completed' && span.durationMs !== undefined)
      tally.durations.push(span.durationMs);
    if (seen.has(node)) continue;
    seen.add(node);
    tally.runs += 1;
  }
}

/** As the graph names it: `section:draft` for a node of a sub-graph. A namespace is `section:<task>|draft:<task>`. */
function pathOf({ ns, name }: TraceSpan): string {
  if (ns === undefined || ns === '') return name;
  return ns
    .split('|')
    .map((level) => level.split(':')[0])
    .join(':');
}

function figuresOf({ durations, ...counts }: Tally): NodeFigures {
  if (durations.length === 0) return counts;
  const sorted = Float64Array.from(durations).toSorted();
  return { ...counts, p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) };
}
