import { jsonText } from '../../model/json.ts';
import type { RunId } from '../../model/ids.ts';
import { isSettled } from '../../model/run/run.ts';
import { TRACE_BYTES } from '../limits.ts';
import type {
  RecordedInput,
  RecordedLine,
  RecordedRun,
  RecordedTrace,
  RecordedValue,
  TraceSpan,
} from '../port.ts';
import { closeSpan } from './spans.ts';
import { listedColumns, type ListedRow, runOf, valueOf } from './run-row.ts';
import type { HistoryDb } from './schema.ts';

/** The record of a run, without its input and output. */
export async function readRun(db: HistoryDb, runId: RunId): Promise<RecordedRun | undefined> {
  const row: ListedRow | undefined = await db
    .selectFrom('history_runs')
    .select(listedColumns)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row && runOf(row);
}

export async function readInput(db: HistoryDb, runId: RunId): Promise<RecordedInput | undefined> {
  const row = await db
    .selectFrom('history_runs')
    .select(['start_kind', 'input', 'input_bytes'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (!row) return undefined;
  const value = valueOf(row.input, row.input_bytes);
  const kind = row.start_kind as RecordedInput['kind']; // as newRow wrote it
  return { kind, ...(value && { value }) };
}

export async function readOutput(db: HistoryDb, runId: RunId): Promise<RecordedValue | undefined> {
  const row = await db
    .selectFrom('history_runs')
    .select(['output', 'output_bytes'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row && valueOf(row.output, row.output_bytes);
}

/** What was recorded of the trace of a run after `seq`: its spans in the order of their beginnings. */
export async function readTrace(
  db: HistoryDb,
  runId: RunId,
  seq = 0,
): Promise<RecordedTrace | undefined> {
  const run = await readRun(db, runId);
  if (!run) return undefined;
  const parts = await readParts(db, runId, 'spans', seq);
  const spans = new Map<string, TraceSpan>();
  for (const span of contentsOf<TraceSpan>(parts)) spans.set(span.id, span);
  const sorted = [...spans.values()].toSorted((one, other) => one.startedAt - other.startedAt);
  boundValues(sorted);
  // What was running when its process was killed never ended.
  const isOver = isSettled(run.status);
  for (const span of sorted) {
    const isLeft = span.status === 'running' && (isOver || span.attempt < run.attempts);
    if (isLeft) closeSpan(span, 'lost', run.endedAt ?? run.activityAt);
  }
  return { run, spans: sorted, seq: Number(parts.at(-1)?.seq ?? seq) };
}

/** A trace that has more is shown without the values of its later spans. */
function boundValues(spans: readonly TraceSpan[]): void {
  let left = TRACE_BYTES;
  for (const span of spans) {
    for (const member of ['input', 'output', 'params'] as const) {
      if (span[member] === undefined) continue;
      const bytes = JSON.stringify(span[member]).length;
      left -= bytes;
      if (left < 0) span[member] = { truncated: true, bytes };
    }
  }
}

export async function readLines(db: HistoryDb, runId: RunId): Promise<RecordedLine[]> {
  return contentsOf<RecordedLine>(await readParts(db, runId, 'lines'));
}

interface Part {
  /** PostgreSQL's driver has large numbers as text. */
  seq: number | string;
  data: string;
}

function readParts(
  db: HistoryDb,
  runId: RunId,
  kind: 'spans' | 'lines',
  after = 0,
): Promise<Part[]> {
  return db
    .selectFrom('history_parts')
    .innerJoin('history_runs', 'history_runs.id', 'history_parts.run')
    .select(['seq', 'data'])
    .where('run_id', '=', runId)
    .where('kind', '=', kind)
    .where('seq', '>', after)
    .orderBy('seq')
    .execute();
}

function contentsOf<T>(parts: readonly Part[]): T[] {
  return parts.flatMap(({ data }) => JSON.parse(jsonText(data)) as T[]); // as the writer wrote them
}
