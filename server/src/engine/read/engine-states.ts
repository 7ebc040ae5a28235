import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { noValues } from '../../model/checkpoint/state-values.ts';
import type { StoreSize } from '../../model/checkpoint/store-size.ts';
import type { ThreadReport } from '../../model/thread/thread-wire.ts';
import type { CheckpointRef, HistoryEntry, StateSnapshot } from '../../model/thread/thread.ts';
import { readCheckpoint, readCheckpoints, type ReadCheckpoint } from './checkpoint-reader.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { CheckpointTarget, HistoryQuery } from '../requests.ts';
import { historyEntry, stateValues } from './state-values.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import { askingTasks, pendingInterrupts } from './views.ts';

/** The states of threads as their checkpoints have them, read with queries and without the agent's code. */
export class EngineStates {
  readonly #threads: ThreadClient;
  readonly #payloads: PayloadPort;

  constructor(threads: ThreadClient, payloads: PayloadPort) {
    this.#threads = threads;
    this.#payloads = payloads;
  }

  /** The head of the root namespace; empty values when nothing ran yet. */
  async head(threadId: ThreadId): Promise<StateSnapshot> {
    return this.headOf(await this.#report(threadId));
  }

  /** The same, for a report that has just been read. */
  async headOf(report: ThreadReport): Promise<StateSnapshot> {
    const threadId = report.threadId as ThreadId; // was one when the thread was created
    const interrupts = await pendingInterrupts(this.#payloads, report);
    const selection = { ns: '', content: 'json' } as const;
    const read = await readCheckpoint(this.#threads, this.#payloads, threadId, selection);
    if (!read) return { threadId, values: noValues, interrupts };
    const { writes } = read.checkpoint;
    return {
      threadId,
      values: stateValues(read),
      interrupts,
      ...(writes.length > 0 && { askingTasks: askingTasks(writes) }),
      checkpoint: refOf(read),
    };
  }

  /** `checkpoint_not_found` when the thread does not retain it. */
  async checkpoint(
    threadId: ThreadId,
    target: CheckpointTarget,
  ): Promise<StateSnapshot & { checkpoint: CheckpointRef }> {
    const selection = { ...target, content: 'json' } as const;
    const read = await readCheckpoint(this.#threads, this.#payloads, threadId, selection);
    if (!read) throw notFound(target);
    const checkpoint = refOf(read);
    // The questions are pending at the head; a read of another checkpoint returns only its values.
    const now = await this.#report(threadId);
    const isHead = checkpoint.ns === '' && checkpoint.id === now.headId;
    const interrupts = isHead ? await pendingInterrupts(this.#payloads, now) : [];
    return { threadId, values: stateValues(read), interrupts, checkpoint };
  }

  /** What the thread's checkpoints take. */
  async size(threadId: ThreadId): Promise<StoreSize> {
    return this.#threads.query(threadId, 'size');
  }

  /** Newest first, read as it is consumed. The first entry rejects when the thread does not exist. */
  async *history(threadId: ThreadId, query: HistoryQuery): AsyncGenerator<HistoryEntry> {
    const selection = { ...query, content: 'json' } as const;
    // Damage is reported beside the values that can be read.
    const options = { skipDamaged: true };
    const all = readCheckpoints(this.#threads, this.#payloads, threadId, selection, options);
    for await (const read of all) yield historyEntry(read);
  }

  #report(threadId: ThreadId): Promise<ThreadReport> {
    return this.#threads.query<ThreadReport>(threadId, 'thread');
  }
}

function refOf({ checkpoint: { ns, id } }: ReadCheckpoint): CheckpointRef {
  return { ns, id };
}

function notFound(target: CheckpointTarget): ServiceError {
  const message =
    'id' in target
      ? `There is no checkpoint ${target.id} on this thread, or it is no longer retained.`
      : `The thread has no checkpoint in the namespace ${JSON.stringify(target.ns)}.`;
  return new ServiceError('checkpoint_not_found', message);
}
