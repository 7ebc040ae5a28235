/*
 * A run outlives an execution. The engine drops the activity; the guest is not affected. The next execution counts an
 * attempt (`last_failure: CAN`, no restart used up) and schedules an activity that takes the invocation over
 * (`activities/live-run.ts`): it handles heartbeat, cancellation and the end from then on, and the previous activity
 * returns. An end that occurs in between is kept for 15 s. Two numbers: `attempt` is the one shown; the fence is the
 * attempt in which the invocation began. Batches carry the fence, so a batch that is in flight while the thread changes
 * executions is repeated by the host's loop, arrives in the next one, and is applied once by (run, fence, seq). When
 * there is nothing to take over (another host, a killed process) the activity returns `detached`, and the same attempt
 * is started again from the head with a new fence. The workflow decides this, and not the activity, because only there
 * the head, the fence and "has the run its own checkpoint" are read at the same time.
 * A heartbeat that finds its activity unknown proves nothing about the run: it only starts the 15 s. Deleting a
 * thread stops its guests at once in this process or, elsewhere, with their next save.
 */
import { ServiceError } from '../errors/service-error.ts';
import type { InvocationEnd } from '../guest/port.ts';
import type { RunView } from '../model/run/run.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import type { Attempt, StopReason } from './ports.ts';
import type { ThreadGate } from './thread-gate.ts';

/**
 * A thread that changes executions schedules the next activity within milliseconds. An invocation that was not taken
 * over in this time is given up: its thread was deleted elsewhere, or another host continues the run.
 */
export const TAKE_OVER_GRACE_MS = 15_000;

/** How an invocation ended, ready to be recorded. */
export interface LiveEnd {
  end: InvocationEnd;
  /** With the writes that were still queued. */
  result: AttemptResult;
  /** Settles the calls that wait for those writes. `isCertain: false`: the outcome is unknown. */
  settle(outcome: Settled): void;
  /** Called once the end is durable. */
  remember(): void;
}

/** The outcome of recording an end; without an error it is durable. */
export interface Settled {
  error?: unknown;
  isCertain: boolean;
}

/** An activity's hold on an invocation. There is one at a time: a later activity takes it over. */
export interface Hold {
  /** Resolves when another activity has it, or none. */
  lost: Promise<void>;
  isLost(): boolean;
}

interface OpenHold extends Hold {
  lose(): void;
}

/**
 * A guest's invocation in this process. It outlives the activity that began it: when the thread continues in another
 * execution, the engine drops the activity, and the next one takes the invocation over. Its end is kept until then.
 */
export class LiveRun {
  /** The attempt in which the invocation began; its number is the fence of the writes. */
  readonly attempt: Attempt;
  /** Resolves when the invocation is over, whichever activity holds it. */
  readonly ended: Promise<LiveEnd>;
  /** Of an invocation that began within a workflow task. */
  readonly gate: ThreadGate | undefined;
  readonly #stop = new AbortController();
  readonly #onGone: () => void;
  readonly #onContinued: ((attempt: Attempt) => void) | undefined;
  readonly #onGivenUp: (() => void) | undefined;
  readonly #graceMs: number;
  #reason: StopReason | undefined;
  #hold: OpenHold | undefined;
  #grace: NodeJS.Timeout | undefined;
  #confirm: (() => RunView | undefined) | undefined;
  #isGivenUp = false;
  #isClosed = false;

  constructor(
    attempt: Attempt,
    options: {
      invoke(signal: AbortSignal, stopReason: () => StopReason | undefined): Promise<LiveEnd>;
      /** Called when the invocation produces nothing more. */
      onGone(): void;
      /** Called when the invocation continues under another attempt. */
      onContinued?: (attempt: Attempt) => void;
      /** How long the invocation waits to be taken over. */
      graceMs: number;
      /** Opens when another activity takes the invocation over. */
      gate?: ThreadGate;
      /** Called when its results are discarded. */
      onGivenUp?: () => void;
    },
  ) {
    this.attempt = attempt;
    this.#onGone = options.onGone;
    this.#onContinued = options.onContinued;
    this.#graceMs = options.graceMs;
    this.gate = options.gate;
    this.#onGivenUp = options.onGivenUp;
    this.ended = options.invoke(this.#stop.signal, () => this.#reason);
    this.ended.catch(() => undefined); // reported to the activity that holds it
  }

  /** The invocation was asked to stop. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** It began within a workflow task. */
  get isShort(): boolean {
    return this.gate !== undefined;
  }

  /** It can no longer be taken over. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Asks the invocation to stop. */
  stop(reason: StopReason): void {
    this.#reason ??= reason;
    this.#stop.abort();
    if (reason === 'thread_deleted' && !this.#hold) void this.giveUp();
  }

  /**
   * The thread has continued in another execution, which counts as an attempt, or the workflow task that began the
   * invocation is over.
   */
  continueIn(attempt: Attempt): void {
    this.gate?.open();
    this.#onContinued?.(attempt);
  }

  /** Takes the invocation over. */
  take(): Hold {
    clearTimeout(this.#grace);
    this.#hold?.lose();
    let isLost = false;
    let resolve = (): void => undefined;
    const lost = new Promise<void>((fulfil) => (resolve = fulfil));
    const hold: OpenHold = {
      lost,
      isLost: () => isLost,
      lose() {
        isLost = true;
        resolve();
      },
    };
    this.#hold = hold;
    return hold;
  }

  /** The engine no longer knows the activity that holds it. Another activity may take it over. */
  release(hold: Hold): void {
    if (hold.isLost() || this.#hold !== hold) return;
    this.#hold.lose();
    this.#hold = undefined;
    if (this.#isGivenUp) return;
    if (this.#reason === 'thread_deleted') void this.giveUp();
    // This timer does not keep the process alive.
    else this.#grace = setTimeout(() => void this.giveUp(), this.#graceMs).unref();
  }

  /** Keeps an end that was returned to a workflow task, until the task is recorded or the invocation is given up. */
  offerEnd(confirm: () => RunView | undefined): void {
    this.#confirm = confirm;
  }

  /** Its end waits to be confirmed. */
  get isUnconfirmed(): boolean {
    return this.#confirm !== undefined && !this.#isClosed;
  }

  /** The end is recorded. Returns the run as later reads will report it, when that is certain. */
  confirm(): RunView | undefined {
    return this.#confirm?.();
  }

  /** The end is recorded: the invocation produces nothing more. */
  close(outcome: Settled = { isCertain: true }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#grace);
    this.#isGivenUp = true;
    this.gate?.shut(notTakenOver);
    this.ended.then(
      ({ settle }) => settle(outcome),
      () => undefined,
    );
    this.#onGone();
  }

  /** Stops it and discards its results. Never rejects; resolves when its guest has stopped. */
  async giveUp(outcome: Settled = this.#discarded()): Promise<void> {
    clearTimeout(this.#grace);
    if (!this.#isGivenUp) this.#onGivenUp?.();
    this.#isGivenUp = true;
    this.gate?.shut(notTakenOver);
    this.stop('superseded');
    await this.ended.catch(() => undefined);
    this.#hold?.lose();
    this.close(outcome);
  }

  /** An end that was returned to a workflow task may have been recorded. */
  #discarded(): Settled {
    return { error: notTakenOver(), isCertain: !this.isUnconfirmed };
  }
}

function notTakenOver(): ServiceError {
  return new ServiceError('run_fenced', 'The attempt was fenced off before it ended.');
}
