import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { noValues } from '../../model/checkpoint/state-values.ts';
import type { ThreadReport } from '../../model/thread/thread-wire.ts';
import type { CheckpointRef, HistoryEntry, StateSnapshot } from '../../model/thread/thread.ts';
import { readCheckpoint, readCheckpoints, type ReadCheckpoint } from './checkpoint-reader.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { CheckpointTarget, HistoryQuery } from '../port.ts';
import { historyEntry, stateValues } from './state-values.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import { pendingInterrupts } from './views.ts';

/** Reads of a thread's state. */
export interface StateReader {
  /** The head of the root namespace; empty when there is no checkpoint. */
  head(report: ThreadReport): Promise<StateSnapshot>;
  /** `checkpoint_not_found` when the thread does not retain it. */
  checkpoint(
    threadId: ThreadId,
    target: CheckpointTarget,
  ): Promise<StateSnapshot & { checkpoint: CheckpointRef }>;
  history(threadId: ThreadId, query: HistoryQuery): AsyncGenerator<HistoryEntry>;
}

/** Creates the reader on top of a thread's queries. */
export function createStateReader(threads: ThreadClient, payloads: PayloadPort): StateReader {
  async function report(threadId: ThreadId): Promise<ThreadReport> {
    return threads.query<ThreadReport>(threadId, 'thread');
  }

  return {
    async head(report) {
      const threadId = report.threadId as ThreadId; // was one when the thread was created
      const interrupts = await pendingInterrupts(payloads, report);
      const selection = { ns: '', content: 'json' } as const;
      const read = await readCheckpoint(threads, payloads, threadId, selection);
      if (!read) return { threadId, values: noValues, interrupts };
      return { threadId, values: stateValues(read), interrupts, checkpoint: placeOf(read) };
    },

    async checkpoint(threadId, target) {
      const selection = { ...target, content: 'json' } as const;
      const read = await readCheckpoint(threads, payloads, threadId, selection);
      if (!read) throw notFound(target);
      const checkpoint = placeOf(read);
      // The questions are pending at the head; a read of another checkpoint returns only its values.
      const now = await report(threadId);
      const isHead = checkpoint.ns === '' && checkpoint.id === now.headId;
      const interrupts = isHead ? await pendingInterrupts(payloads, now) : [];
      return { threadId, values: stateValues(read), interrupts, checkpoint };
    },

    async *history(threadId, query) {
      const selection = { ...query, content: 'json' } as const;
      // Damage is reported beside the values that can be read.
      const options = { skipDamaged: true };
      for await (const read of readCheckpoints(threads, payloads, threadId, selection, options)) {
        yield historyEntry(read);
      }
    },
  };
}

function placeOf({ checkpoint: { ns, id } }: ReadCheckpoint): CheckpointRef {
  return { ns, id };
}

function notFound(target: CheckpointTarget): ServiceError {
  const message =
    'id' in target
      ? `There is no checkpoint ${target.id} on this thread, or it is no longer retained.`
      : `The thread has no checkpoint in the namespace ${JSON.stringify(target.ns)}.`;
  return new ServiceError('checkpoint_not_found', message);
}
