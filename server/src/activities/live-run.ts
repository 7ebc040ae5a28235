/*
 * A run outlives an execution. The engine drops the activity; the guest notices nothing. The next execution counts an
 * attempt (`last_failure: CAN`, no restart used up) and schedules an activity that takes the invocation over
 * (`activities/live-run.ts`): heartbeat, cancellation and the end are its business from then on, and the activity
 * before returns. An end that comes in between is kept, for 15 s. Two numbers: `attempt` is what is shown; the fence
 * is the attempt in which the invocation began. Batches carry the fence, so what is under way while the thread changes
 * executions is repeated by the host's loop, arrives in the next one, and is taken once by (run, fence, seq). Where
 * there is nothing to take over (another host, a killed process) the activity answers `detached`, and the same attempt
 * begins anew from the head behind a new fence. That answer goes through the workflow, and not the activity's own
 * judgement, because only there the head, the fence and "has the run a checkpoint of its own" are read in one moment.
 * A heartbeat that finds its activity unknown says nothing about the run: it starts the 15 s, no more. Deleting a
 * thread stops its guests at once, by way of this process or, elsewhere, with their next save.
 */
import { ServiceError } from '../errors/service-error.ts';
import type { InvocationEnd } from '../guest/port.ts';
import type { AttemptResult } from '../model/thread/thread-wire.ts';
import type { Attempt, StopReason } from './ports.ts';

/**
 * A thread that changes executions schedules the next activity within milliseconds. An invocation that nobody has
 * taken over by then is given up: its thread was deleted elsewhere, or another host goes on with the run.
 */
export const TAKE_OVER_GRACE_MS = 15_000;

/** How an invocation ended, ready to be recorded. */
export interface LiveEnd {
  end: InvocationEnd;
  /** With the writes that were still queued. */
  result: AttemptResult;
  /** Tells who waits for those writes what became of them. `isCertain: false`: nobody knows. */
  settle(outcome: Settled): void;
  /** Called once the end is durable. */
  remember(): void;
}

/** What became of an end; without an error it is durable. */
export interface Settled {
  error?: unknown;
  isCertain: boolean;
}

/** The hold of an activity on an invocation. One at a time: whoever comes later takes it over. */
export interface Hold {
  /** Resolves when somebody else has it, or nobody. */
  lost: Promise<void>;
  isLost(): boolean;
}

interface OpenHold extends Hold {
  lose(): void;
}

/**
 * A guest's invocation in this process. It outlives the activity that began it: when the thread goes on in another
 * execution, the engine drops the activity, and the next one takes the invocation over. Its end is kept until then.
 */
export class LiveRun {
  /** The attempt in which the invocation began; its number is the fence of the writes. */
  readonly attempt: Attempt;
  /** Resolves when the invocation is over, whoever holds it. */
  readonly ended: Promise<LiveEnd>;
  readonly #stop = new AbortController();
  readonly #onGone: () => void;
  readonly #onContinued: ((attempt: Attempt) => void) | undefined;
  readonly #graceMs: number;
  #reason: StopReason | undefined;
  #hold: OpenHold | undefined;
  #grace: NodeJS.Timeout | undefined;
  #isGivenUp = false;
  #isClosed = false;

  constructor(
    attempt: Attempt,
    options: {
      invoke(signal: AbortSignal, stopReason: () => StopReason | undefined): Promise<LiveEnd>;
      /** Called when nothing more comes of it. */
      onGone(): void;
      /** Called when the invocation goes on under another attempt. */
      onContinued?: (attempt: Attempt) => void;
      /** How long the invocation waits to be taken over. */
      graceMs: number;
    },
  ) {
    this.attempt = attempt;
    this.#onGone = options.onGone;
    this.#onContinued = options.onContinued;
    this.#graceMs = options.graceMs;
    this.ended = options.invoke(this.#stop.signal, () => this.#reason);
    this.ended.catch(() => undefined); // whoever holds it hears of it
  }

  /** Somebody has asked the invocation to stop. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Nobody can take it over any more. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Asks the invocation to stop. */
  stop(reason: StopReason): void {
    this.#reason ??= reason;
    this.#stop.abort();
    if (reason === 'thread_deleted' && !this.#hold) void this.giveUp();
  }

  /** The thread has gone on in another execution, which counts as an attempt. */
  continueIn(attempt: Attempt): void {
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

  /** The activity that holds it is not known to the engine any more. Somebody else may come for it. */
  release(hold: Hold): void {
    if (hold.isLost() || this.#hold !== hold) return;
    this.#hold.lose();
    this.#hold = undefined;
    if (this.#isGivenUp) return;
    if (this.#reason === 'thread_deleted') void this.giveUp();
    // A process that ends does not wait for it.
    else this.#grace = setTimeout(() => void this.giveUp(), this.#graceMs).unref();
  }

  /** The end is recorded: nothing more comes of it. */
  close(outcome: Settled = { isCertain: true }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#grace);
    this.#isGivenUp = true;
    this.ended.then(
      ({ settle }) => settle(outcome),
      () => undefined,
    );
    this.#onGone();
  }

  /** Stops it and takes no more of it. Never rejects; resolves when its guest has let go. */
  async giveUp(outcome: Settled = fencedOff()): Promise<void> {
    clearTimeout(this.#grace);
    this.#isGivenUp = true;
    this.stop('superseded');
    await this.ended.catch(() => undefined);
    this.#hold?.lose();
    this.close(outcome);
  }
}

function fencedOff(): Settled {
  const error = new ServiceError('run_fenced', 'The attempt was fenced off before it ended.');
  return { error, isCertain: true };
}
