import { upsertSearchAttributes } from '@temporalio/workflow';
import { threadStatus, type ThreadState } from '../model/thread-state.ts';

const THREAD_STATUS = { name: 'ThreadStatus', type: 'KEYWORD' } as const;

/**
 * Keeps the search attribute `ThreadStatus` in step with the thread. Each change costs a visibility write, so a run
 * that is over before its first batch (idle to busy to idle) publishes nothing.
 */
export function createStatusAttribute(state: ThreadState): { publish(): void } {
  return {
    publish() {
      const status = threadStatus(state);
      if (status === (state.publishedStatus ?? 'idle') || state.isEphemeral) return;
      state.publishedStatus = status;
      upsertSearchAttributes([{ key: THREAD_STATUS, value: status }]);
    },
  };
}
