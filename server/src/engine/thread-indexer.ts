import { setTimeout as pause } from 'node:timers/promises';
import { unpackFrame } from '../model/frame.ts';
import type { ThreadId } from '../model/ids.ts';
import { SEARCH_PAGE_ROWS } from '../model/limits.ts';
import type { ThreadReport } from '../model/thread-wire.ts';
import { inLanes } from './calls.ts';
import type { ThreadClient } from './thread-client.ts';
import { untoldThreads } from './thread-query.ts';
import type { Visibility } from './visibility.ts';

/** Threads are asked this many at once: the service has other things to do. */
const LANES = 4;

/** The visibility store follows within this time. */
const SETTLE_MS = 500;

/** After a pass that failed, because the engine was away. */
const RETRY_MS = 5_000;

/**
 * Threads that were begun before 0.3.0 have told the visibility store nothing but their status. Each is asked once to
 * tell the rest; until all have, searches ask those that they meet.
 */
export interface ThreadIndexer {
  /** There are no such threads, as far as is known. */
  isDone(): boolean;
  /** Has one thread tell everything; undefined when it cannot. */
  tell(threadId: ThreadId): Promise<ThreadReport | undefined>;
  /** Goes through all of them; resolves when that is done or `signal` fires, and never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Makes the indexer of one service. `onDone` hears how many threads were told and how many could not be. */
export function createThreadIndexer(parts: {
  visibility: Visibility;
  threads: ThreadClient;
  taskQueue: string;
  onDone?(counts: { told: number; left: number }): void;
}): ThreadIndexer {
  const { visibility, threads, taskQueue } = parts;
  const query = untoldThreads(taskQueue);
  let isDone = false;

  async function tell(threadId: ThreadId): Promise<ThreadReport | undefined> {
    try {
      return unpackFrame<ThreadReport>(await threads.update(threadId, 'indexThread', {}));
    } catch {
      return undefined; // deleted meanwhile, or its workflow does not answer: nothing else reads it either
    }
  }

  /** How many of the first page were told, and could not be. */
  async function pass(signal: AbortSignal): Promise<{ told: number; left: number }> {
    const { rows } = await visibility.list(query, SEARCH_PAGE_ROWS);
    const counts = { told: 0, left: 0 };
    await inLanes(rows, LANES, async ({ threadId }) => {
      if (signal.aborted) return;
      if (await tell(threadId)) counts.told += 1;
      else counts.left += 1;
    });
    return counts;
  }

  return {
    isDone: () => isDone,
    tell,
    async run(signal) {
      const counts = { told: 0, left: 0 };
      while (!signal.aborted) {
        try {
          const { told, left } = await pass(signal);
          counts.told += told;
          counts.left = left;
          // Those that are left now would be left again.
          if (told === 0) break;
          await pause(SETTLE_MS, undefined, { signal });
        } catch {
          await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
        }
      }
      if (signal.aborted) return;
      isDone = true;
      if (counts.told + counts.left > 0) parts.onDone?.(counts);
    },
  };
}
