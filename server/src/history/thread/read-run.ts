import { jsonText } from '../../model/json.ts';
import type { RunId } from '../../model/ids.ts';
import { isSettled } from '../../model/run/run.ts';
import { TRACE_BYTES } from '../limits.ts';
import type {
  RecordedInput,
  RecordedLine,
  RecordedRun,
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

/** The spans of a run in the order of their beginnings. */
export async function readTrace(db: HistoryDb, runId: RunId): Promise<TraceSpan[] | undefined> {
  const run = await readRun(db, runId);
  if (!run) return undefined;
  const spans = new Map<string, TraceSpan>();
  for (const span of await readParts<TraceSpan>(db, runId, 'spans')) spans.set(span.id, span);
  const sorted = [...spans.values()].toSorted((one, other) => one.startedAt - other.startedAt);
  boundValues(sorted);
  // What was running when its process was killed never ended.
  const isOver = isSettled(run.status);
  for (const span of sorted) {
    const isLeft = span.status === 'running' && (isOver || span.attempt < run.attempts);
    if (isLeft) closeSpan(span, 'lost', run.endedAt ?? run.activityAt);
  }
  return sorted;
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
  return readParts<RecordedLine>(db, runId, 'lines');
}

async function readParts<T>(db: HistoryDb, runId: RunId, kind: 'spans' | 'lines'): Promise<T[]> {
  const parts = await db
    .selectFrom('history_parts')
    .innerJoin('history_runs', 'history_runs.id', 'history_parts.run')
    .select('data')
    .where('run_id', '=', runId)
    .where('kind', '=', kind)
    .orderBy('seq')
    .execute();
  return parts.flatMap(({ data }) => JSON.parse(jsonText(data)) as T[]); // as the writer wrote them
}
