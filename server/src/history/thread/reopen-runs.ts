import type { RunId } from '../../model/ids.ts';
import type { TraceSpan } from '../port.ts';
import type { BuilderOptions } from './builder-options.ts';
import { RunBuilder } from './run-builder.ts';
import { stateOf } from './run-row.ts';
import type { HistoryDb } from './schema.ts';
import { searchedText } from './texts.ts';

/** A run that was recorded before, with a builder that goes on with it. */
export interface ReopenedRun {
  runId: RunId;
  id: number;
  builder: RunBuilder;
}

/** The runs of these ids that have a record. */
export async function reopen(
  db: HistoryDb,
  runIds: ReadonlySet<RunId>,
  options: BuilderOptions,
): Promise<ReopenedRun[]> {
  const rows = await db
    .selectFrom('history_runs')
    .selectAll()
    .where('run_id', 'in', [...runIds])
    .execute();
  return Promise.all(
    rows.map(async (row) => {
      const id = Number(row.id);
      const texts = {
        input: textOf(row.input),
        output: textOf(row.output),
        error: textOf(row.error),
        messages: await messagesOf(db, id),
      };
      const builder = new RunBuilder(options, {
        threadId: row.thread_id,
        state: stateOf(row),
        texts,
      });
      return { runId: row.run_id as RunId, id, builder }; // as it was written
    }),
  );
}

function textOf(json: string | null): string {
  return json === null ? '' : searchedText(JSON.parse(json));
}

/** The texts of the model calls that are recorded. */
async function messagesOf(db: HistoryDb, run: number): Promise<string> {
  const parts = await db
    .selectFrom('history_parts')
    .select('data')
    .where('run', '=', run)
    .where('kind', '=', 'spans')
    .orderBy('seq')
    .execute();
  const spans = parts.flatMap(({ data }) => JSON.parse(data) as TraceSpan[]); // as they were written
  return searchedText(
    spans.filter(({ kind }) => kind === 'model').map(({ input, output }) => output ?? input),
  );
}
