/*
 * Continue-as-new between runs at 1,000 events or 2 MiB of history beyond the state that the execution began with
 * (which may be 2 MiB itself); with an active run at 3,000 events, 8 MiB or 1,800 Updates
 * (`workflows/next-execution.ts`). The whole state is in the payload. A thread that does not fit continues in this
 * execution for up to 6,000 events or 16 MiB and tries again; then it stops with `CANPayloadBudgetExceeded`, its active
 * and its queued runs with it.
 */
import type { WorkflowInfo } from '@temporalio/workflow';
import {
  ACTIVE_CONTINUE_BYTES,
  ACTIVE_CONTINUE_EVENTS,
  ACTIVE_CONTINUE_UPDATES,
  deriveLimits,
  engineBytesOf,
  IDLE_CONTINUE_BYTES,
  IDLE_CONTINUE_EVENTS,
  IDLE_CONTINUE_STRETCH,
} from '../model/limits/limits.ts';
import { isRunDue } from '../model/run/run-queue.ts';
import { type Compaction, packCompacted } from '../model/thread/thread-compaction.ts';
import { stopThread } from '../model/thread/thread-reducer.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type { ThreadSinks } from './messages.ts';

/** The factor on ACTIVE_CONTINUE_EVENTS and ACTIVE_CONTINUE_BYTES at which a thread that does not fit is stopped. */
const LAST_STRETCH = 2;

/** The execution that the thread is in. */
export interface ExecutionPort {
  /** Its history so far: events and bytes. */
  history(): Pick<WorkflowInfo, 'historyLength' | 'historySize'>;
  /** Ends it with the state that the next one begins with. Does not return. */
  continueAsNew(frame: Uint8Array): Promise<never>;
  /** Resolves when every Update that was accepted has its response. */
  untilHandlersFinish(): Promise<void>;
  hints: ThreadSinks['thread'];
}

/** Decides when a thread continues in its next execution, so that its history stays short, and how. */
export class NextExecution {
  readonly #state: ThreadState;
  readonly #execution: ExecutionPort;
  /** Does not count: a full thread begins with nearly as many bytes as the mark, and would change executions all the time. */
  readonly #beginSize: number;
  #updates = 0;
  #history: Pick<WorkflowInfo, 'historyLength' | 'historySize'>;
  // These two grow when the thread does not fit: it then continues in this execution for a while.
  #idleStretch = 1;
  #activeStretch = 1;

  constructor(state: ThreadState, execution: ExecutionPort) {
    this.#state = state;
    this.#execution = execution;
    this.#history = measured(execution);
    this.#beginSize = this.#history.historySize;
  }

  /** Counts an Update that the thread has taken. */
  countUpdate(): void {
    this.#updates += 1;
    this.measure();
  }

  /**
   * Reads how long the history has become, after something that is recorded in it. The task of a refused Update finds a
   * longer one, but leaves nothing in it: what the thread did by that would not replay.
   */
  measure(): void {
    this.#history = measured(this.#execution);
  }

  /** True when the history has become long. */
  isDue(): boolean {
    if (this.#state.stopped) return false;
    const isIdle = this.#state.active === undefined;
    if (isIdle && this.#isIdleMarkReached()) return true;
    return this.#isOver(isIdle ? LAST_STRETCH : this.#activeStretch);
  }

  /**
   * Continues in the next execution: does not return then. Returns when the thread does not fit into it: it continues
   * here for a while, or was stopped.
   */
  async continueAsNew(): Promise<void> {
    const state = this.#state;
    // Those that have not begun begin in the next execution, and their callers do not wait for that.
    for (const runUuid of state.queue) delete state.runs.get(runUuid)?.isShort;
    await this.#execution.untilHandlersFinish();
    const limits = deriveLimits(state.settings);
    const packed = packCompacted(state, {
      budget: limits.canPayload,
      engineBytes: engineBytesOf(limits.payload),
    });
    if (packed) await this.#leave(packed.compaction, packed.frame);
    if (state.active !== undefined) this.#activeStretch = LAST_STRETCH;
    // The inputs of runs whose turn it is count too, and they go. A run that is held back stays.
    else if (!isRunDue(state, Date.now())) this.#idleStretch *= 2;
    if (this.#idleStretch <= IDLE_CONTINUE_STRETCH && !this.#isOver(LAST_STRETCH)) return;
    const { hints } = this.#execution;
    for (const runUuid of stopThread(state, Date.now()))
      hints.runSettled(state.threadId, runUuid, state.runs.get(runUuid)?.status ?? 'error');
    hints.budgetExceeded(state.threadId);
  }

  #isOver(stretch: number): boolean {
    const { historyLength, historySize } = this.#history;
    return (
      historyLength >= ACTIVE_CONTINUE_EVENTS * stretch ||
      this.#updates >= ACTIVE_CONTINUE_UPDATES ||
      historySize >= ACTIVE_CONTINUE_BYTES * stretch
    );
  }

  #isIdleMarkReached(): boolean {
    const { historyLength, historySize } = this.#history;
    return (
      historyLength >= IDLE_CONTINUE_EVENTS * this.#idleStretch ||
      historySize - this.#beginSize >= IDLE_CONTINUE_BYTES * this.#idleStretch
    );
  }

  async #leave(compaction: Compaction, frame: Uint8Array): Promise<never> {
    const { threadId } = this.#state;
    const trigger = this.#state.active === undefined ? 'idle' : 'active';
    this.#execution.hints.continued({ ...compaction, threadId, trigger });
    return this.#execution.continueAsNew(frame);
  }
}

function measured(execution: ExecutionPort): Pick<WorkflowInfo, 'historyLength' | 'historySize'> {
  const { historyLength, historySize } = execution.history();
  return { historyLength, historySize };
}
