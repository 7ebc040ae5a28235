import type { RunUuid, ThreadId } from '../model/ids.ts';
import type { RunView } from '../model/run.ts';

interface ActiveRun {
  threadId: ThreadId;
  stop: StopRun;
}

/** Asks a run to stop, because it is cancelled or because its thread is gone. */
type StopRun = (reason: 'cancel' | 'thread_deleted') => void;

type Wake = (view: RunView | undefined) => void;

/** Lately settled runs are remembered, so that a wait that begins just after the end costs no query. */
const REMEMBERED_RUNS = 1_000;
/** A larger output is read again. Together with the number above it bounds what is remembered. */
const REMEMBERED_OUTPUT_LENGTH = 32 * 1_024;

/** Some never settle here, such as those that another process takes: the oldest go, and a wait then asks first. */
const EXPECTED_RUNS = 10_000;

/** A record of the runs of this process that outlives it. */
interface RunJournal {
  add(threadId: ThreadId, runUuid: RunUuid): void;
  remove(runUuid: RunUuid): void;
}

const noJournal: RunJournal = { add: () => undefined, remove: () => undefined };

/**
 * What this process knows of its runs: which are active (to abort them at once) and which have settled (to wake who
 * waits). A short cut only: the engine is the truth, and whoever waits also asks it now and then.
 */
export class LocalRuns {
  readonly #active = new Map<RunUuid, ActiveRun>();
  readonly #waiting = new Map<RunUuid, Set<Wake>>();
  /** Accepted or begun here, and not settled. */
  readonly #expected = new Map<RunUuid, ThreadId>();
  readonly #settled = new Map<RunUuid, RunView>();
  readonly #onSettled: (runUuid: RunUuid) => void;
  readonly #journal: RunJournal;
  readonly #idle = new Set<() => void>();
  #isStopping = false;

  constructor(onSettled: (runUuid: RunUuid) => void, journal = noJournal) {
    this.#onSettled = onSettled;
    this.#journal = journal;
  }

  /** Has a run accepted whose end will show here too. `accept` answers which run it is about. */
  async expect<T extends { runUuid: string }>(
    threadId: ThreadId,
    runUuid: RunUuid,
    accept: () => Promise<T>,
  ): Promise<T> {
    const isNew = this.#note(threadId, runUuid);
    let accepted: string | undefined;
    try {
      const answer = await accept();
      accepted = answer.runUuid;
      return answer;
    } finally {
      // A request that is repeated is refused or answered for the run that it made before.
      if (isNew && accepted !== runUuid) this.#drop(runUuid);
    }
  }

  /** True when the end of the run will show here, unless this process loses it. */
  isExpected(runUuid: RunUuid): boolean {
    return this.#expected.has(runUuid) || this.#active.has(runUuid);
  }

  /** An attempt begins here. */
  begin(threadId: ThreadId, runUuid: RunUuid, stop: StopRun): void {
    this.#active.set(runUuid, { threadId, stop });
    this.#note(threadId, runUuid);
  }

  /** The attempt is over here, whatever became of the run. */
  end(runUuid: RunUuid): void {
    this.#active.delete(runUuid);
    if (!this.isExpected(runUuid)) this.#journal.remove(runUuid);
    if (this.#active.size === 0) for (const resolve of this.#idle) resolve();
  }

  /** A run has settled. Without a view, whoever waits reads it. */
  settle(runUuid: RunUuid, view?: RunView): void {
    this.#drop(runUuid);
    if (view && (view.output?.length ?? 0) <= REMEMBERED_OUTPUT_LENGTH) {
      this.#settled.set(runUuid, view);
      const oldest = this.#settled.keys().next().value;
      if (this.#settled.size > REMEMBERED_RUNS && oldest) this.#settled.delete(oldest);
    }
    this.#onSettled(runUuid);
    const waiting = this.#waiting.get(runUuid);
    this.#waiting.delete(runUuid);
    for (const wake of waiting ?? []) wake(view);
  }

  /** A run that settled here, as it was then. */
  settledView(runUuid: RunUuid): RunView | undefined {
    return this.#settled.get(runUuid);
  }

  /** Forgets a run's view, because it was changed or deleted since. */
  forget(runUuid: RunUuid): void {
    this.#settled.delete(runUuid);
  }

  /** Resolves at the next sign that the run has settled, or after `ms`; with the view when it is known. */
  nextSign(runUuid: RunUuid, ms: number, signal: AbortSignal): Promise<RunView | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(runUuid) ?? new Set<Wake>();
      this.#waiting.set(runUuid, waiting);
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(runUuid) === waiting) {
          this.#waiting.delete(runUuid);
        }
      };
      const wake: Wake = (view) => {
        finish();
        resolve(view);
      };
      const onAbort = (): void => {
        finish();
        reject(signal.reason as Error); // the caller's own reason
      };
      const timer = setTimeout(() => wake(undefined), ms);
      waiting.add(wake);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Asks a run to stop when it is active here. */
  abort(runUuid: RunUuid): void {
    this.#active.get(runUuid)?.stop('cancel');
  }

  /** Asks every run of a thread to stop, and answers which they are, those that wait for their turn too. */
  abortThread(threadId: ThreadId): RunUuid[] {
    const active = [...this.#active].filter(([, run]) => run.threadId === threadId);
    for (const [, run] of active) run.stop('thread_deleted');
    const expected = [...this.#expected].filter(([, thread]) => thread === threadId);
    return [...new Set([...active, ...expected].map(([runUuid]) => runUuid))];
  }

  /** Runs that are active in this process. */
  activeCount(): number {
    return this.#active.size;
  }

  /** From now on queued runs stay queued: they go on at the next start. */
  stopStarting(): void {
    this.#isStopping = true;
  }

  isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves when no run is active here. */
  async idle(): Promise<void> {
    if (this.#active.size === 0) return;
    let done: () => void = () => undefined;
    await new Promise<void>((resolve) => this.#idle.add((done = resolve)));
    this.#idle.delete(done);
  }

  /** True unless the run is known already. */
  #note(threadId: ThreadId, runUuid: RunUuid): boolean {
    if (this.#expected.has(runUuid)) return false;
    this.#journal.add(threadId, runUuid);
    this.#expected.set(runUuid, threadId);
    const oldest = this.#expected.keys().next().value;
    if (this.#expected.size > EXPECTED_RUNS && oldest) this.#drop(oldest);
    return true;
  }

  /** An active run stays in the journal until its attempt is over. */
  #drop(runUuid: RunUuid): void {
    this.#expected.delete(runUuid);
    if (!this.#active.has(runUuid)) this.#journal.remove(runUuid);
  }
}
