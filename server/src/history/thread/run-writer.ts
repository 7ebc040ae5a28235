import { sql } from 'kysely';
import type { RunId } from '../../model/ids.ts';
import type { HistoryEvent } from '../events.ts';
import type { RecordedLine, TraceSpan } from '../port.ts';
import type { BuilderOptions } from './builder-options.ts';
import type { OpenHistory } from './open-database.ts';
import { RunBuilder, type RunEvent } from './run-builder.ts';
import { reopen } from './reopen-runs.ts';
import { changedColumns, newRow } from './run-row.ts';
import type { HistoryDb } from './schema.ts';
import { writeTexts } from './text-index.ts';
import { addThread, removeThread, touchThreads } from './threads.ts';

/** A run that has not settled, or whose last changes are not written. */
interface Entry {
  readonly runId: RunId;
  readonly builder: RunBuilder;
  /** Its row; absent: it has none yet. */
  id?: number;
}

/** An entry with what changed since it was last written. */
interface Taken {
  entry: Entry;
  parts: { kind: 'spans' | 'lines'; data: string }[];
}

/** Rows of one statement: it takes a limited number of parameters. */
const ROWS_AT_ONCE = 50;

/** Writes the records of runs from their events. */
export class RunWriter {
  readonly #database: OpenHistory;
  readonly #options: BuilderOptions;
  readonly #entries = new Map<RunId, Entry>();
  readonly #changed = new Set<RunId>();
  /** Grows over restarts, so that later parts of a run come later. */
  #seq = Date.now() * 1_000;

  constructor(database: OpenHistory, options: BuilderOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Applies a batch and writes what it changed. */
  async write(events: readonly HistoryEvent[]): Promise<void> {
    await this.#load(events);
    for (const event of events) {
      if (isOfRun(event)) {
        this.#apply(event);
        continue;
      }
      await this.#save();
      await this.#change(event);
    }
    await this.#save();
  }

  /** Some run has not settled: what is known of it is here alone. */
  get isBusy(): boolean {
    return this.#entries.size > 0;
  }

  #apply(event: RunEvent): void {
    const { runId } = event;
    let entry = this.#entries.get(runId);
    if (!entry) {
      // Nothing is known of a run that was deleted, or that began before the history was switched on.
      if (!isFirst(event)) return;
      entry = { runId, builder: new RunBuilder(this.#options) };
      this.#entries.set(runId, entry);
    }
    this.#changed.add(runId);
    try {
      entry.builder.apply(event);
    } catch {
      // What a guest or an agent made of it cannot be recorded; other runs are not affected.
      entry.builder.state.isIncomplete = true;
    }
  }

  /** Goes on with the records of runs that an earlier process, or an earlier part of their life, has begun. */
  async #load(events: readonly HistoryEvent[]): Promise<void> {
    const wanted = new Set<RunId>();
    const begun = new Set<RunId>();
    for (const event of events) {
      if (!isOfRun(event)) continue;
      const { runId } = event;
      const isBeginning =
        event.kind === 'created' || (event.kind === 'begun' && event.attempt === 1);
      if (isBeginning) begun.add(runId);
      else if (!begun.has(runId) && !this.#entries.has(runId)) wanted.add(runId);
    }
    if (wanted.size === 0) return;
    for (const { runId, id, builder } of await reopen(this.#database.db, wanted, this.#options))
      this.#entries.set(runId, { runId, id, builder });
  }

  async #save(): Promise<void> {
    const entries = [...this.#changed].flatMap((runId) => this.#entries.get(runId) ?? []);
    this.#changed.clear();
    if (entries.length === 0) return;
    const taken = entries.map((entry) => ({ entry, parts: partsOf(entry.builder) }));
    try {
      await this.#writeTogether(taken);
    } catch (error) {
      // One that the database refuses does not take the others along.
      await this.#writeEach(taken, error);
    } finally {
      for (const { runId, builder } of entries) if (builder.isOver) this.#entries.delete(runId);
    }
  }

  async #writeTogether(taken: readonly Taken[]): Promise<void> {
    const ids = new Map(taken.map(({ entry }) => [entry, entry.id]));
    try {
      await this.#database.db.transaction().execute((db) => this.#writeAll(db, taken));
    } catch (error) {
      for (const [entry, id] of ids) {
        if (id === undefined) delete entry.id;
      }
      throw error;
    }
  }

  async #writeEach(taken: readonly Taken[], reason: unknown): Promise<void> {
    let failures = 0;
    for (const one of taken) {
      try {
        await this.#writeTogether([one]);
      } catch {
        failures += 1;
        // What was taken is lost; the record has it when it is next written.
        one.entry.builder.state.isIncomplete = true;
      }
    }
    if (failures === taken.length) throw reason;
  }

  async #writeAll(db: HistoryDb, taken: readonly Taken[]): Promise<void> {
    const created = taken.filter(({ entry }) => entry.id === undefined);
    const known = taken.filter(({ entry }) => entry.id !== undefined);
    const entries = taken.map(({ entry }) => entry);
    for (const { entry, parts } of known) await updateRun(db, entry, bytesOf(parts));
    for (const some of chunks(created)) await insertRuns(db, some);
    const parts = taken.flatMap(({ entry, parts: ofRun }) =>
      ofRun.map((part) => ({ run: idOf(entry), seq: (this.#seq += 1), ...part })),
    );
    for (const some of chunks(parts)) await db.insertInto('history_parts').values(some).execute();
    await touchThreads(
      db,
      entries.map(({ builder }) => builder),
    );
    const indexed = [...created, ...known.filter(({ entry }) => entry.builder.isOver)];
    const texts = indexed.map(({ entry }) => ({ run: idOf(entry), ...entry.builder.texts }));
    for (const some of chunks(texts)) await writeTexts(db, this.#database.dialect, some);
  }

  /** A thread that appears, or what is deleted. */
  async #change(event: Exclude<HistoryEvent, RunEvent>): Promise<void> {
    const { db } = this.#database;
    if (event.kind === 'thread_seen') return addThread(db, event);
    const removal = db.deleteFrom('history_runs');
    if (event.kind === 'run_deleted') {
      this.#entries.delete(event.runId);
      await removal.where('run_id', '=', event.runId).execute();
      return;
    }
    const { threadId } = event;
    for (const [runId, { builder }] of this.#entries)
      if (builder.threadId === threadId) this.#entries.delete(runId);
    await removal.where('thread_id', '=', threadId).execute();
    await removeThread(db, threadId);
  }
}

function isOfRun(event: HistoryEvent): event is RunEvent {
  const { kind } = event;
  return kind !== 'thread_seen' && kind !== 'thread_deleted' && kind !== 'run_deleted';
}

/** A record begins with such an event. */
function isFirst(event: RunEvent): boolean {
  return event.kind === 'created' || (event.kind === 'begun' && event.origin !== undefined);
}

async function insertRuns(db: HistoryDb, taken: readonly Taken[]): Promise<void> {
  const rows = taken.map(({ entry, parts }) => {
    const { opening, state } = entry.builder;
    if (!opening) throw new Error(`The run ${entry.runId} has no origin.`);
    return newRow(entry.runId, opening, state, bytesOf(parts));
  });
  const inserted = await db
    .insertInto('history_runs')
    .values(rows)
    // A first attempt that is begun once more, after its workflow task was lost.
    .onConflict((conflict) =>
      conflict.column('run_id').doUpdateSet(({ ref }) => ({
        status: ref('excluded.status'),
        begun_at: ref('excluded.begun_at'),
        ended_at: ref('excluded.ended_at'),
        activity_at: ref('excluded.activity_at'),
        duration_ms: ref('excluded.duration_ms'),
        attempts: ref('excluded.attempts'),
        output: ref('excluded.output'),
        output_preview: ref('excluded.output_preview'),
        is_incomplete: 1,
      })),
    )
    .returning(['id', 'run_id'])
    .execute();
  const ids = new Map(inserted.map(({ id, run_id: runId }) => [runId, Number(id)]));
  for (const { entry } of taken) {
    const id = ids.get(entry.runId);
    if (id !== undefined) entry.id = id;
  }
}

async function updateRun(db: HistoryDb, entry: Entry, bytes: number): Promise<void> {
  await db
    .updateTable('history_runs')
    .set({ ...changedColumns(entry.builder.state), bytes: sql<number>`bytes + ${bytes}` })
    .where('id', '=', idOf(entry))
    .execute();
}

function partsOf(builder: RunBuilder): Taken['parts'] {
  const { spans, lines } = builder.take();
  try {
    return textsOf(spans, lines);
  } catch {
    builder.state.isIncomplete = true; // nested too deeply to be written
    return [];
  }
}

function textsOf(spans: readonly TraceSpan[], lines: readonly RecordedLine[]): Taken['parts'] {
  return [
    ...(spans.length > 0 ? [{ kind: 'spans' as const, data: JSON.stringify(spans) }] : []),
    ...(lines.length > 0 ? [{ kind: 'lines' as const, data: JSON.stringify(lines) }] : []),
  ];
}

function bytesOf(parts: Taken['parts']): number {
  return parts.reduce((sum, { data }) => sum + data.length, 0);
}

function idOf({ id, runId }: Entry): number {
  if (id === undefined) throw new Error(`The run ${runId} has no row.`);
  return id;
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    yield rows.slice(from, from + ROWS_AT_ONCE);
}
