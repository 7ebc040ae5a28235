/*
 * What this host remembers is only a cache: the heads of threads that ran here lately with their pending writes
 * (checked by the thread's `revision`; not after a cancelled run, which may be rolled back), and the runs that settled
 * here. The engine is queried whenever the cache has no entry.
 *
 * A run is identified in a process by its `run_id` (`RunId`: thread and uuid), never by its uuid alone, so that
 * streams, output, local runs and waits of two threads that have runs with the same uuid stay separate.
 */
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { RunStatus, RunView } from '../../model/run/run.ts';
import type { RunJournal } from './run-journal.ts';

/** A run's thread and uuid. */
interface RunIds {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/** A run whose attempt this process executes; in the service, its invocation (`activities/live-run.ts`). */
export interface ActiveRun {
  readonly attempt: RunIds;
  /** It began within a workflow task. */
  readonly isShort: boolean;
  /** Asks it to stop, because it is cancelled or because its thread was deleted. */
  stop(reason: 'cancel' | 'thread_deleted'): void;
  /** Its end was returned to a workflow task that is perhaps not recorded. */
  readonly isUnconfirmed: boolean;
  /** The end is recorded. Returns the run as later reads will report it, when that is certain. */
  confirm(): RunView | undefined;
}

/** A run that was accepted or begun here, and has not settled. */
interface ExpectedRun extends RunIds {
  /** Resolves when the thread has recorded an end that the run's first workflow task brought. */
  recorded?: RecordedEnd;
}

/** Resolves when the thread has recorded that the run settled so. */
export type RecordedEnd = (status: RunStatus) => Promise<void>;

/** How a run is accepted. */
export interface Acceptance {
  /** It may end within the workflow task that accepts it: only `outlasts` and `note` record it for the next process. */
  isShort: boolean;
  /** For a run whose acceptance does not tell its end. */
  recorded?: RecordedEnd;
}

type Wake = (view: RunView | undefined) => void;

/** Lately settled runs are remembered, so that a wait that begins just after the end costs no query. */
const REMEMBERED_RUNS = 1_000;
/** A larger output is read again. Together with the number above it bounds the memory used. */
const REMEMBERED_OUTPUT_LENGTH = 32 * 1_024;

/** The thread records an end within milliseconds here; where another process has the thread, waiting calls query it. */
const NOTED_ELSEWHERE_MS = 100;

/** Some never settle here, such as those that another process runs: the oldest are dropped, and a wait then queries. */
const EXPECTED_RUNS = 10_000;

/** A thread records an end within milliseconds; where another process has the thread, nothing is reported here. */
const AHEAD_RUNS = 1_000;

/** The record of the runs of this process that outlives it. */
type Journal = Pick<RunJournal, 'add' | 'remove'>;

const noJournal: Journal = { add: () => undefined, remove: () => undefined };

/**
 * What this process knows of its runs: which are active (to abort them at once) and which have settled (to wake
 * waiting calls). A cache only: the engine is authoritative, and waiting calls also query it now and then.
 */
export class ProcessRuns<R extends ActiveRun = ActiveRun> {
  readonly #active = new Map<RunId, R>();
  readonly #waiting = new Map<RunId, Set<Wake>>();
  /** Accepted or begun here, and not settled. */
  readonly #expected = new Map<RunId, ExpectedRun>();
  readonly #settled = new Map<RunId, RunView>();
  /** The results of ended runs that their threads have not reported as settled. */
  readonly #ended = new Map<RunId, RunView>();
  /** Settled by an end that is not confirmed. */
  readonly #unconfirmed = new Set<RunId>();
  /** Runs that clients saw completed, and that their threads have not reported as settled. */
  readonly #ahead = new Map<RunId, ThreadId>();
  readonly #onSettled: (runId: RunId) => void;
  readonly #journal: Journal;
  readonly #idle = new Set<() => void>();
  #isStopping = false;

  constructor(onSettled: (runId: RunId) => void, journal = noJournal) {
    this.#onSettled = onSettled;
    this.#journal = journal;
  }

  /** Has a run accepted whose end will be reported here too. `accept` returns the run that it accepted. */
  async expect<T extends { runUuid: string }>(
    threadId: ThreadId,
    runUuid: RunUuid,
    accept: () => Promise<T>,
    acceptance: Acceptance = { isShort: false },
  ): Promise<T> {
    const isNew = this.#expect(threadId, runUuid, acceptance);
    let accepted: string | undefined;
    try {
      const result = await accept();
      accepted = result.runUuid;
      return result;
    } finally {
      // A repeated request is refused or gets the response for the run that it made before.
      if (isNew && accepted !== runUuid) this.#drop(compositeRunId(threadId, runUuid));
    }
  }

  /** True when the end of the run will be reported here, unless this process loses it. */
  isExpected(runId: RunId): boolean {
    return this.#expected.has(runId) || this.#active.has(runId);
  }

  /** An attempt begins here; it replaces an earlier one of the run. */
  begin(run: R): void {
    const { threadId, runUuid } = run.attempt;
    this.#active.set(compositeRunId(threadId, runUuid), run);
    this.#expect(threadId, runUuid, { isShort: run.isShort });
  }

  /** A run that was accepted as a short one is not over: it is recorded for the next process. */
  note(threadId: ThreadId, runUuid: RunUuid): void {
    if (this.isExpected(compositeRunId(threadId, runUuid))) this.#journal.add(threadId, runUuid);
  }

  /** A short run lasts longer than the workflow task that began it. */
  outlasts(run: R): void {
    this.#journal.add(run.attempt.threadId, run.attempt.runUuid);
  }

  /** The run when it is active here. */
  active(runId: RunId): R | undefined {
    return this.#active.get(runId);
  }

  /** The attempt is over here, whatever the outcome of the run. */
  end(run: R): void {
    const { threadId, runUuid } = run.attempt;
    const runId = compositeRunId(threadId, runUuid);
    if (this.#active.get(runId) !== run) return;
    this.#active.delete(runId);
    if (this.#unconfirmed.delete(runId)) this.#settle(runId, undefined);
    // Its creation was not recorded either: what it published has no other end.
    else if (run.isShort && !this.isExpected(runId)) this.#onSettled(runId);
    if (!this.isExpected(runId)) this.#journal.remove(threadId, runUuid);
    if (this.#active.size === 0) for (const resolve of this.#idle) resolve();
  }

  /**
   * The end of a run is durable. A completed run has settled; the thread reports how any other run settles, because it
   * may have received a request to cancel it.
   */
  ended(runId: RunId, view: RunView): void {
    if (view.status === 'completed') {
      if (this.#expected.has(runId)) this.#noteAhead(runId, view.threadId);
      return this.#settle(runId, view);
    }
    if (this.#settled.has(runId)) return;
    this.#ended.set(runId, view);
    const ask = (): void => {
      if (this.#ended.delete(runId)) this.#settle(runId, undefined);
    };
    setTimeout(ask, NOTED_ELSEWHERE_MS).unref();
  }

  /** The thread reports that a run has settled, and how; without a status, waiting calls read it. */
  settle(runId: RunId, status?: RunStatus): void {
    if (this.#active.get(runId)?.isUnconfirmed) return this.#awaitConfirmation(runId, status);
    const ended = this.#ended.get(runId);
    this.#ended.delete(runId);
    this.#ahead.delete(runId);
    const known = this.#settled.get(runId);
    if (known && status !== undefined && known.status !== status) this.#settled.delete(runId);
    this.#settle(runId, ended?.status === status ? ended : undefined);
  }

  /** The thread has recorded the end that a run's first task brought; the run settled unless another attempt follows. */
  confirm(runId: RunId, hasSettled = true): void {
    const run = this.#active.get(runId);
    if (!run?.isUnconfirmed) return;
    const isAwaited = this.#unconfirmed.delete(runId);
    const view = run.confirm();
    if (hasSettled || isAwaited) this.#settle(runId, view);
  }

  /** The thread reports within the task, before anything is recorded: waiting calls are woken only then. */
  #awaitConfirmation(runId: RunId, status: RunStatus | undefined): void {
    this.#unconfirmed.add(runId);
    const recorded = status && this.#expected.get(runId)?.recorded?.(status);
    // When it cannot be read, the invocation is given up after its grace, and waiting calls ask the engine.
    recorded?.then(
      () => this.confirm(runId),
      () => undefined,
    );
  }

  #settle(runId: RunId, view: RunView | undefined): void {
    this.#drop(runId);
    if (view && (view.output?.length ?? 0) <= REMEMBERED_OUTPUT_LENGTH) {
      this.#settled.set(runId, view);
      const oldest = this.#settled.keys().next().value;
      if (this.#settled.size > REMEMBERED_RUNS && oldest) this.#settled.delete(oldest);
    }
    this.#onSettled(runId);
    this.#wake(runId, view);
  }

  #wake(runId: RunId, view: RunView | undefined): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    for (const wake of waiting ?? []) wake(view);
  }

  /** Runs of a thread whose end was reported to clients, and which the thread may not have recorded. */
  aheadOf(threadId: ThreadId): RunId[] {
    return [...this.#ahead].filter(([, other]) => other === threadId).map(([runId]) => runId);
  }

  /** The thread has recorded their ends. */
  caughtUp(runIds: readonly RunId[]): void {
    for (const runId of runIds) this.#ahead.delete(runId);
  }

  /** The view of a run that settled here, from that time. */
  settledView(runId: RunId): RunView | undefined {
    return this.#settled.get(runId);
  }

  /** Forgets a run's view, because it was changed or deleted since. */
  forget(runId: RunId): void {
    this.#settled.delete(runId);
    this.#ended.delete(runId);
  }

  /** Resolves at the next sign that the run has settled, or after `ms`; with the view when it is known. */
  nextSign(runId: RunId, ms: number, signal: AbortSignal): Promise<RunView | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(runId) ?? new Set<Wake>();
      this.#waiting.set(runId, waiting);
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(runId) === waiting) {
          this.#waiting.delete(runId);
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
  abort(runId: RunId): void {
    this.#active.get(runId)?.stop('cancel');
  }

  /**
   * Asks every run of a thread to stop, and returns the run ids, queued runs included. The remembered views of its
   * other runs are forgotten: another thread may get the id.
   */
  abortThread(threadId: ThreadId): RunId[] {
    const isOfThread = ([, run]: [RunId, { threadId: ThreadId }]): boolean =>
      run.threadId === threadId;
    const active = [...this.#active].filter(([, { attempt }]) => attempt.threadId === threadId);
    for (const [, run] of active) run.stop('thread_deleted');
    const expected = [...this.#expected].filter(isOfThread);
    for (const [runId] of [...this.#settled].filter(isOfThread)) this.#settled.delete(runId);
    return [...new Set([...active, ...expected].map(([runId]) => runId))];
  }

  /** Runs that are active in this process. */
  activeCount(): number {
    return this.#active.size;
  }

  /** From now on queued runs stay queued: they continue at the next start. */
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

  #noteAhead(runId: RunId, threadId: ThreadId): void {
    this.#ahead.set(runId, threadId);
    const oldest = this.#ahead.keys().next().value;
    if (this.#ahead.size > AHEAD_RUNS && oldest) this.#ahead.delete(oldest);
  }

  /** False when the run is known already. */
  #expect(threadId: ThreadId, runUuid: RunUuid, { isShort, recorded }: Acceptance): boolean {
    const runId = compositeRunId(threadId, runUuid);
    if (!isShort) this.#journal.add(threadId, runUuid);
    if (this.#expected.has(runId)) return false;
    this.#expected.set(runId, { threadId, runUuid, ...(recorded && { recorded }) });
    const oldest = this.#expected.keys().next().value;
    if (this.#expected.size > EXPECTED_RUNS && oldest) this.#drop(oldest);
    return true;
  }

  /** An active run stays in the journal until its attempt is over. */
  #drop(runId: RunId): void {
    const run = this.#expected.get(runId);
    this.#expected.delete(runId);
    if (run && !this.#active.has(runId)) this.#journal.remove(run.threadId, run.runUuid);
  }
}
