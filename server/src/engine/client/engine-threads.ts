import { unpackFrame } from '../../model/frame.ts';
import type { RunId, ThreadId } from '../../model/ids.ts';
import type { ThreadSettings } from '../../model/thread/thread-record.ts';
import type { ThreadReport } from '../../model/thread/thread-wire.ts';
import type { StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import { type CopyOptions, copyThread } from '../move/copy-thread.ts';
import type { Creation, CreationMark, ThreadPage, ThreadSearch } from '../requests.ts';
import type { EngineStates } from '../read/engine-states.ts';
import { threadView } from '../read/views.ts';
import { ThreadOwners } from '../search/thread-owners.ts';
import type { ThreadSearcher } from '../search/thread-search.ts';
import type { ProcessRuns } from '../worker/process-runs.ts';
import type { EngineWrites } from './engine-writes.ts';
import type { ThreadClient } from './thread-client.ts';
import { newThread, newThreadView, retaining, type ThreadStarter } from './thread-starter.ts';

export interface EngineThreadsPorts {
  threads: ThreadClient;
  payloads: PayloadPort;
  starter: ThreadStarter;
  local: ProcessRuns;
  writes: EngineWrites;
  states: EngineStates;
  searcher: ThreadSearcher;
  /** Of new threads. */
  settings: ThreadSettings;
  /** Other processes may remove threads, too. */
  isShared: boolean;
}

/** Threads on Temporal: each is a workflow, changes are Updates, reads are queries. */
export class EngineThreads {
  readonly #ports: EngineThreadsPorts;
  readonly #owners: ThreadOwners;

  constructor(ports: EngineThreadsPorts) {
    this.#ports = ports;
    this.#owners = new ThreadOwners(
      async (threadId) => (await this.#report(threadId)).owner,
      !ports.isShared,
    );
  }

  /** `thread_exists` when the id is taken. */
  create(
    threadId: ThreadId,
    metadata: Record<string, string>,
    { owner, mark, checkpointHistory, jsonKeys }: Creation = {},
  ): Promise<ThreadView> {
    const { writes, starter, settings } = this.#ports;
    return writes.withThreadMetadata('create_thread', metadata, async () => {
      const owned = owner === undefined ? {} : { owner };
      const kept = retaining(settings, checkpointHistory);
      const typed = jsonKeys && jsonKeys.length > 0 ? { jsonKeys } : {};
      const start = { ...newThread(threadId, kept), metadata, ...owned, ...typed };
      await starter.start(start, mark);
      return newThreadView(start);
    });
  }

  /** Creates a thread that holds only its mark, ends at once, and is readable for 72 h. `thread_exists`. */
  reserveIdempotencyKey(threadId: ThreadId, mark: CreationMark): Promise<void> {
    const { writes, starter, settings } = this.#ports;
    // An ephemeral thread without a run has nothing to wait for.
    const start = { ...newThread(threadId, settings), isEphemeral: true };
    return writes.perform('leave_mark', () => starter.start(start, mark));
  }

  /** The mark that a thread was created with; undefined when it has none, or there is no thread. */
  readMark(threadId: ThreadId): Promise<CreationMark | undefined> {
    return this.#ports.starter.readMark(threadId);
  }

  /**
   * A new idle thread with the metadata of `source` and one checkpoint of its root namespace: the head, or the given
   * one (`checkpoint_not_found`); a whole copy gets the others, too, the newest that fit. `thread_exists`,
   * `checkpoint_too_large`.
   */
  copy(source: ThreadId, target: ThreadId, options?: CopyOptions): Promise<ThreadView> {
    return this.#ports.writes.perform('copy_thread', () =>
      copyThread(this.#ports, source, target, options),
    );
  }

  /** Newest start first. Follows writes within a second. `invalid_request` for a cursor of another search. */
  search(search: ThreadSearch): Promise<ThreadPage> {
    return this.#ports.searcher.find(search);
  }

  async read(threadId: ThreadId): Promise<ThreadView & { state: StateSnapshot }> {
    const report = await this.#report(threadId);
    return { ...threadView(threadId, report), state: await this.#ports.states.headOf(report) };
  }

  /** The `sub` that created it; undefined when it has no owner. */
  ownerOf(threadId: ThreadId): Promise<string | undefined> {
    return this.#owners.ownerOf(threadId);
  }

  /** Merges by key; the result's `updatedAt` is the time of the change. */
  patchMetadata(
    threadId: ThreadId,
    metadata: Record<string, string>,
    { jsonKeys = [] }: { jsonKeys?: string[] } = {},
  ): Promise<ThreadView> {
    const { writes, threads } = this.#ports;
    return writes.withThreadMetadata('patch_thread', metadata, async () => {
      const patch = { metadata, now: Date.now(), ...(jsonKeys.length > 0 && { jsonKeys }) };
      const frame = await threads.update(threadId, 'patchMetadata', patch);
      return threadView(threadId, unpackFrame<ThreadReport>(frame));
    });
  }

  /** Resolves when every later call finds the thread deleted. Attempted also while the disk is full. */
  async delete(threadId: ThreadId): Promise<void> {
    const { local, payloads, starter } = this.#ports;
    let aborted: RunId[] = [];
    await this.#owners.removing(threadId, () =>
      // Only once the engine has accepted it: a thread whose removal failed continues.
      starter.remove(threadId, () => (aborted = local.abortThread(threadId))),
    );
    // A deleted thread sends no sign itself: readers and waiting calls end now.
    for (const runId of aborted) local.settle(runId);
    await payloads.removed(threadId);
  }

  #report(threadId: ThreadId): Promise<ThreadReport> {
    return this.#ports.threads.query<ThreadReport>(threadId, 'thread');
  }
}
