import type { ThreadId } from '../../model/ids.ts';
import type { StateCommit, ThreadReport } from '../../model/thread/thread-wire.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';

/** Changes of threads' states between their runs, for the activities room. */
export interface StateCommits {
  report(threadId: ThreadId): Promise<ThreadReport>;
  /** One Update: all of it or nothing. `thread_busy`, also when the state was changed meanwhile; `thread_stopped`. */
  commit(threadId: ThreadId, commit: StateCommit): Promise<void>;
}

/** Makes them over a thread's queries and Updates. */
export function createStateCommits(
  threads: ThreadClient,
  payloads: Pick<PayloadPort, 'changed'>,
): StateCommits {
  return {
    report: (threadId) => threads.query<ThreadReport>(threadId, 'thread'),
    async commit(threadId, commit) {
      await threads.update(threadId, 'updateState', commit);
      payloads.changed(threadId);
    },
  };
}
