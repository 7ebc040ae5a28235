import type { RunFigures, RunStats, StatsQuery } from '../port.ts';
import type { OpenHistory } from './open-database.ts';
import { matching } from './search-runs.ts';

/** A run as figures need it. */
interface Row {
  created_at: number | string;
  agent_id: string;
  status: string;
  duration_ms: number | string | null;
  input_tokens: number | string;
  output_tokens: number | string;
  total_tokens: number | string;
  cost: number | null;
}

/** Figures of the runs that were created in the window: of all, over time, and by agent. */
export async function runStats(
  history: OpenHistory,
  { from, to, parts, ...filter }: StatsQuery,
): Promise<RunStats> {
  const rows: Row[] = await matching(history, filter)
    .select(['created_at', 'agent_id', 'status', 'duration_ms', 'cost'])
    .select(['input_tokens', 'output_tokens', 'total_tokens'])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .execute();
  const length = Math.max(1, Math.ceil((to - from) / parts));
  const overTime: Row[][] = Array.from({ length: parts }, () => []);
  const byAgent = new Map<string, Row[]>();
  for (const row of rows) {
    overTime[Math.floor((Number(row.created_at) - from) / length)]?.push(row);
    const ofAgent = byAgent.get(row.agent_id);
    if (ofAgent) ofAgent.push(row);
    else byAgent.set(row.agent_id, [row]);
  }
  return {
    total: figuresOf(rows),
    overTime: overTime.map((some, at) => {
      const begin = from + at * length;
      return { from: begin, to: Math.min(begin + length, to), ...figuresOf(some) };
    }),
    byAgent: [...byAgent].map(([agentId, some]) => ({ agentId, ...figuresOf(some) })),
  };
}

function figuresOf(rows: readonly Row[]): RunFigures {
  const durations = Float64Array.from(
    rows.flatMap((row) => row.duration_ms ?? []),
    Number,
  ).toSorted();
  const sum = (value: (row: Row) => number | string): number =>
    rows.reduce((total, row) => total + Number(value(row)), 0);
  const costs = rows.flatMap(({ cost }) => cost ?? []);
  return {
    runs: rows.length,
    errors: rows.filter(({ status }) => status === 'error').length,
    ...(durations.length > 0 && {
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
    }),
    tokens: {
      input: sum((row) => row.input_tokens),
      output: sum((row) => row.output_tokens),
      total: sum((row) => row.total_tokens),
    },
    ...(costs.length > 0 && { cost: costs.reduce((total, cost) => total + cost, 0) }),
  };
}

/** The smallest value that this part of all values does not exceed. */
function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
