/*
 * Continue-as-new between runs at 1,000 events or 2 MiB of history beyond the state that the execution began with
 * (which may be 2 MiB itself); with an active run at 8,000 events, 8 MiB or 1,800 Updates
 * (`workflows/next-execution.ts`). The whole state is in the payload. A thread that does not fit continues in this
 * execution for up to 8,000 events or 16 MiB and tries again; then it stops with `CANPayloadBudgetExceeded`, its active
 * and its queued runs with it.
 */
/** When and how a thread continues in a new execution, so that its history stays short. */
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

/** The factor on ACTIVE_CONTINUE_BYTES at which a thread that does not fit is stopped. */
const LAST_STRETCH = 2;

/** The change of a thread to its next execution. */
export interface NextExecution {
  /** Counts an Update that the thread has accepted. */
  countUpdate(): void;
  /** True when the history has become long. */
  isDue(): boolean;
  /**
   * Continues in the next execution and then does not return. Returns when the thread does not fit into it: it
   * continues here for a while, or was stopped.
   */
  continueAsNew(): Promise<void>;
}

const { thread: hints } = proxySinks<ThreadSinks>();

/** Watches the history of a thread. */
export function watchHistory(state: ThreadState): NextExecution {
  let updates = 0;
  // These two grow when the thread does not fit: it then continues in this execution for a while.
  let idleStretch = 1;
  let activeStretch = 1;
  // Not counted: a full thread begins with nearly as many bytes as the limit, and would change executions all the time.
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
      // The inputs of due runs count too, and are dropped when these settle. A delayed run keeps its input.
      else if (!isRunDue(state, Date.now())) idleStretch *= 2;
      if (idleStretch <= IDLE_CONTINUE_STRETCH && !isOver(LAST_STRETCH)) return;
      for (const runUuid of stopThread(state, Date.now()))
        hints.runSettled(state.threadId, runUuid, state.runs.get(runUuid)?.status ?? 'error');
      hints.budgetExceeded(state.threadId);
    },
  };
}
