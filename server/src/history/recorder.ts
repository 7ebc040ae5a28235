import type { JsonText } from '../model/json.ts';
import type { RunId, ThreadId } from '../model/ids.ts';
import { isSettled, type RunStart, type RunStatus } from '../model/run/run.ts';
import type { AttemptOutcome, FoundRunState, HistoryEvent, RunOrigin } from './events.ts';
import { FLUSH_MS, WAITING_CHARS } from './limits.ts';
import type { RecordedLine } from './port.ts';

/** The agents' output of this process. */
export interface RecordedOutput {
  read(runId: RunId): readonly RecordedLine[];
  written(runId: RunId): number;
}

export interface RecorderOptions {
  /** Resolves when the events are written, or are lost. */
  write(events: HistoryEvent[]): Promise<void>;
  output: RecordedOutput;
  /** Counts events that were dropped because too many wait. */
  dropped: { inc(count?: number): void };
}

/** A run of this process that has not settled. */
interface OpenRun {
  hasOrigin: boolean;
  isIncomplete: boolean;
  lastLine: number;
}

/** A run that is begun. */
export interface BegunAttempt {
  attempt: number;
  at: number;
  origin: () => RunOrigin;
}

/**
 * Takes what happens to the runs of this process. Nothing here waits or fails: events are gathered for a quarter of a
 * second and handed over, and above a limit those of traces are dropped.
 */
export class RunRecorder {
  readonly #options: RecorderOptions;
  readonly #open = new Map<RunId, OpenRun>();
  #events: HistoryEvent[] = [];
  #chars = 0;
  /** Of batches that are being written. */
  #writingChars = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** The run was accepted. One that has begun here is recorded already. */
  created(runId: RunId, origin: () => RunOrigin, status: RunStatus): void {
    if (isSettled(status) || this.#open.has(runId)) return;
    const created = origin();
    this.#runOf(runId).hasOrigin = true;
    this.#add({ kind: 'created', runId, origin: created, status }, lengthOf(created.start));
  }

  begun(runId: RunId, { origin, ...attempt }: BegunAttempt): void {
    const run = this.#runOf(runId);
    const first = run.hasOrigin ? undefined : origin();
    run.hasOrigin = true;
    const event: HistoryEvent = {
      kind: 'begun',
      runId,
      ...attempt,
      ...(first && { origin: first }),
    };
    this.#add(event, lengthOf(first?.start));
  }

  continued(runId: RunId, attempt: number): void {
    this.#add({ kind: 'continued', runId, attempt });
  }

  /** A trace chunk of the guest. */
  traced(runId: RunId, json: JsonText): void {
    if (this.#chars + this.#writingChars > WAITING_CHARS) return this.#drop(runId);
    this.#add({ kind: 'traced', runId, json }, json.length);
  }

  ended(runId: RunId, attempt: number, outcome: AttemptOutcome): void {
    this.#add({ kind: 'ended', runId, attempt, at: Date.now(), outcome }, outcome.output?.length);
  }

  settled(runId: RunId, status: RunStatus): void {
    this.#takeLines(runId);
    this.#open.delete(runId);
    this.#add({ kind: 'settled', runId, status, at: Date.now() });
  }

  /** The run as its thread has it after a restart. One that has begun again is recorded already. */
  found(runId: RunId, found: FoundRunState): void {
    if (!this.#open.has(runId)) this.#add({ kind: 'found', runId, found }, found.output?.length);
  }

  /** A run that ended unrecorded. */
  missed(runId: RunId, origin: RunOrigin, found: FoundRunState): void {
    if (this.#open.has(runId)) return;
    this.#add({ kind: 'created', runId, origin, status: 'pending' });
    this.found(runId, found);
  }

  runDeleted(runId: RunId): void {
    this.#open.delete(runId);
    this.#add({ kind: 'run_deleted', runId });
  }

  /** A thread exists then, as a copy of another one or of none, or was changed then by something that is no run. */
  threadSeen(threadId: ThreadId, at: number, copyOf?: ThreadId): void {
    this.#add({ kind: 'thread_seen', threadId, at, ...(copyOf !== undefined && { copyOf }) });
  }

  threadDeleted(threadId: ThreadId): void {
    this.#add({ kind: 'thread_deleted', threadId });
  }

  /** These events were not written: their runs, which may go on, are recorded anew from the next attempt on. */
  lost(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      if (!('runId' in event)) continue;
      const run = this.#open.get(event.runId);
      if (!run || run.isIncomplete) continue;
      run.isIncomplete = true;
      run.hasOrigin = false;
      this.#add({ kind: 'incomplete', runId: event.runId });
    }
  }

  /** Hands over what was gathered; resolves when it is written, or lost. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const runId of this.#open.keys()) this.#takeLines(runId);
    if (this.#events.length > 0) {
      const [events, chars] = [this.#events, this.#chars];
      [this.#events, this.#chars] = [[], 0];
      this.#writingChars += chars;
      const written = this.#options.write(events).finally(() => (this.#writingChars -= chars));
      this.#writing = Promise.all([this.#writing, written]).then(() => undefined);
    }
    await this.#writing;
  }

  #add(event: HistoryEvent, chars = 0): void {
    this.#events.push(event);
    this.#chars += chars;
    // This timer does not keep the process alive: a stop flushes.
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  #drop(runId: RunId): void {
    this.#options.dropped.inc();
    const run = this.#runOf(runId);
    if (run.isIncomplete) return;
    run.isIncomplete = true;
    this.#add({ kind: 'incomplete', runId });
  }

  #takeLines(runId: RunId): void {
    const run = this.#open.get(runId);
    if (!run) return;
    const { output } = this.#options;
    const written = output.written(runId);
    if (written <= run.lastLine) return;
    const after = run.lastLine;
    run.lastLine = written;
    const lines = output.read(runId).filter(({ id }) => id > after);
    this.#add({ kind: 'lines', runId, lines });
  }

  #runOf(runId: RunId): OpenRun {
    let run = this.#open.get(runId);
    if (!run) this.#open.set(runId, (run = { hasOrigin: false, isIncomplete: false, lastLine: 0 }));
    return run;
  }
}

function lengthOf(start: RunStart | undefined): number {
  return start && 'json' in start ? start.json.length : 0;
}
