/*
 * Continue-as-new between runs at 1,000 events or 2 MiB of history beyond the state that the execution began with
 * (which may be 2 MiB itself); with a run active at 8,000 events, 8 MiB or 1,800 Updates
 * (`workflows/next-execution.ts`). The whole state is in the payload. A thread that does not fit goes on where it is
 * for up to 8,000 events or 16 MiB and tries again; then it stops with `CANPayloadBudgetExceeded`, its active and its
 * queued runs with it.
 */
/** When a thread goes on in a new execution, so that its history stays short, and how. */
import { makeContinueAsNewFunc, proxySinks, workflowInfo } from '@temporalio/workflow';
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
import { indexOfNext } from './thread-index.ts';

/** Bytes of history with an active run that are too many for a thread that does not fit, beyond the first mark. */
const LAST_STRETCH = 2;

/** The way of a thread into its next execution. */
export interface NextExecution {
  /** Counts an Update that the thread has taken. */
  countUpdate(): void;
  /** True when the history has become long. */
  isDue(): boolean;
  /**
   * Goes on in the next execution: does not return then. Returns when the thread does not fit into it: it goes on here
   * for a while, or was stopped.
   */
  continueAsNew(): Promise<void>;
}

const { thread: hints } = proxySinks<ThreadSinks>();

/** Watches the history of a thread. */
export function watchHistory(state: ThreadState): NextExecution {
  let updates = 0;
  // These two grow when the thread does not fit: it then goes on in this execution for a while.
  let idleStretch = 1;
  let activeStretch = 1;
  // Does not count: a full thread begins with nearly as many bytes as the mark, and would change executions all the time.
  const { historySize: beginSize } = workflowInfo();

  function isOver(stretch: number): boolean {
    const { historyLength, historySize } = workflowInfo();
    return (
      historyLength >= ACTIVE_CONTINUE_EVENTS ||
      updates >= ACTIVE_CONTINUE_UPDATES ||
      historySize >= ACTIVE_CONTINUE_BYTES * stretch
    );
  }

  function isIdleMarkReached(): boolean {
    const { historyLength, historySize } = workflowInfo();
    return (
      historyLength >= IDLE_CONTINUE_EVENTS * idleStretch ||
      historySize - beginSize >= IDLE_CONTINUE_BYTES * idleStretch
    );
  }

  async function leave(compaction: Compaction, frame: Uint8Array): Promise<never> {
    const { threadId } = state;
    const trigger = state.active === undefined ? 'idle' : 'active';
    hints.continued({ ...compaction, threadId, trigger });
    return makeContinueAsNewFunc<(frame: Uint8Array) => Promise<unknown>>(
      indexOfNext(state, workflowInfo().memo),
    )(frame);
  }

  return {
    countUpdate() {
      updates += 1;
    },

    isDue() {
      if (state.stopped) return false;
      const isIdle = state.active === undefined;
      if (isIdle && isIdleMarkReached()) return true;
      return isOver(isIdle ? LAST_STRETCH : activeStretch);
    },

    async continueAsNew() {
      const limits = deriveLimits(state.settings);
      const packed = packCompacted(state, {
        budget: limits.canPayload,
        engineBytes: engineBytesOf(limits.payload),
      });
      if (packed) await leave(packed.compaction, packed.frame);
      if (state.active !== undefined) activeStretch = LAST_STRETCH;
      // The inputs of runs whose turn it is count too, and they go. A run that is held back stays.
      else if (!isRunDue(state, Date.now())) idleStretch *= 2;
      if (idleStretch <= IDLE_CONTINUE_STRETCH && !isOver(LAST_STRETCH)) return;
      for (const runUuid of stopThread(state, Date.now()))
        hints.runSettled(state.threadId, runUuid, state.runs.get(runUuid)?.status ?? 'error');
      hints.budgetExceeded(state.threadId);
    },
  };
}
