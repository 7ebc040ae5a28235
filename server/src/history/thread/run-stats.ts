import { sql } from 'kysely';
import { SAMPLED_RUNS } from '../limits.ts';
import type { RunFigures, RunStats, StatsQuery } from '../port.ts';
import type { OpenHistory } from './open-database.ts';
import { percentile } from './percentile.ts';
import { matching } from './search-runs.ts';

/** Sums of the runs of one agent in one part of the window. */
interface Group {
  part: number | string;
  agent: string;
  runs: number | string | bigint;
  errors: number | string | bigint;
  input: number | string | bigint;
  output: number | string | bigint;
  total: number | string | bigint;
  cost: number | null;
}

interface Duration {
  part: number | string;
  agent: string;
  ms: number | string | null;
}

/** Figures of the runs that were created in the window: of all, over time, and by agent. */
export async function runStats(
  history: OpenHistory,
  { from, to, parts, ...filter }: StatsQuery,
): Promise<RunStats> {
  const length = Math.max(1, Math.ceil((to - from) / parts));
  const part = sql<number>`cast((created_at - ${from}) / ${length} as integer)`.as('part');
  const within = matching(history, filter)
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  const groups: Group[] = await within
    .select([part, 'agent_id as agent'])
    .select(({ fn }) => [
      fn.countAll().as('runs'),
      fn.sum(sql<number>`case when status = 'error' then 1 else 0 end`).as('errors'),
      fn.sum('input_tokens').as('input'),
      fn.sum('output_tokens').as('output'),
      fn.sum('total_tokens').as('total'),
      fn.sum<number | null>('cost').as('cost'),
    ])
    .groupBy(['part', 'agent_id'])
    .execute();
  const runs = groups.reduce((sum, group) => sum + Number(group.runs), 0);
  // Every n-th run stands for all of them: the percentiles of so many differ by less than a percent.
  const step = Math.max(1, Math.ceil(runs / SAMPLED_RUNS));
  const durations: Duration[] = await within
    .select([part, 'agent_id as agent', 'duration_ms as ms'])
    .where(sql<number>`id % ${step}`, '=', 0)
    .where('duration_ms', 'is not', null)
    .execute();
  const of = (isWanted: (row: { part: number | string; agent: string }) => boolean): RunFigures =>
    figuresOf(groups.filter(isWanted), durations.filter(isWanted));
  const agents = new Set(groups.map(({ agent }) => agent));
  return {
    total: of(() => true),
    overTime: Array.from({ length: parts }, (_, at) => {
      const begin = from + at * length;
      const end = Math.min(begin + length, to);
      return { from: begin, to: end, ...of((row) => Number(row.part) === at) };
    }),
    byAgent: [...agents].map((agentId) => ({
      agentId,
      ...of((row) => row.agent === agentId),
    })),
  };
}

function figuresOf(groups: readonly Group[], durations: readonly Duration[]): RunFigures {
  const sum = (value: (group: Group) => number | string | bigint | null): number =>
    groups.reduce((total, group) => total + Number(value(group) ?? 0), 0);
  const sorted = Float64Array.from(durations, ({ ms }) => Number(ms)).toSorted();
  const hasCost = groups.some(({ cost }) => cost !== null);
  return {
    runs: sum(({ runs }) => runs),
    errors: sum(({ errors }) => errors),
    ...(sorted.length > 0 && { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }),
    tokens: {
      input: sum(({ input }) => input),
      output: sum(({ output }) => output),
      total: sum(({ total }) => total),
    },
    ...(hasCost && { cost: sum(({ cost }) => cost) }),
  };
}
