/*
 * Writes linger up to 200 ms (`CHECKPOINT_LINGER_MS`) unless the run is `durability: "sync"`, whose guest gets a
 * response only when the write is durable. An engine transaction costs about 10 ms whatever its size: a run that ends
 * sooner costs none, a longer one sends the collected writes. A batch names its run, its fence (below) and the number
 * of its first write: older fences are refused, and a batch that arrives twice is applied once.
 */
import { errorTable } from '../errors/codes.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { CHECKPOINT_LINGER_MS } from '../model/limits/run-waits.ts';
import { opBytes, type StoredOp } from '../model/checkpoint/stored.ts';
import type { CheckpointCeilings } from './checkpoint-ceilings.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { OffloadedPayload } from '../model/checkpoint/payload-port.ts';

interface QueuedOp {
  op: StoredOp;
  bytes: number;
  /** Its payloads are being offloaded: neither it nor a later write may be sent yet. Never rejects. */
  offloading?: Promise<void>;
  /** Releases its references. */
  release?: OffloadedPayload<StoredOp>['release'];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Which attempt the writes belong to. */
export interface Fence {
  threadId: ThreadId;
  runUuid: string;
  attempt: number;
}

/** The limits of one payload of the engine. */
export type BatchLimits = Pick<CheckpointCeilings, 'batchBytes' | 'beyondEngine'>;

/**
 * Sends the checkpoint writes of one attempt to its thread, in order: one batch in flight, the rest queued behind it
 * (group commit, because each engine transaction costs about 10 ms whatever its size). Writes that no caller waits
 * for linger, so that a run which ends soon carries them in its result and costs no Update at all.
 */
export class CheckpointBatcher {
  readonly #fence: Fence;
  readonly #port: CheckpointPort;
  readonly #limits: BatchLimits;
  #queue: QueuedOp[] = [];
  #queuedBytes = 0;
  #nextSeq = 1;
  #inFlight: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A batch was lost, or an earlier write could not be offloaded: further writes are rejected. */
  #failure: Error | undefined;
  #isUrgent = false;

  constructor(fence: Fence, port: CheckpointPort, limits: BatchLimits) {
    this.#fence = fence;
    this.#port = port;
    this.#limits = limits;
  }

  /** Ops that were accepted so far; the thread's revision grows by as many. */
  get count(): number {
    return this.#nextSeq - 1 + this.#queue.length;
  }

  /** Queues a write. Resolves when it is durable; `isUrgent`: the caller waits for that. */
  push(op: StoredOp<Uint8Array>, { isUrgent }: { isUrgent: boolean }): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    const offloading = this.#port.offload(this.#fence.threadId, op);
    const bytes = opBytes(op);
    // Otherwise its size is known once it was offloaded.
    if (!offloading && bytes > this.#limits.batchBytes) {
      // Later writes depend on it.
      this.#failure = this.#limits.beyondEngine(op, bytes);
      return Promise.reject(this.#failure);
    }
    return new Promise((resolve, reject) => {
      const queued: QueuedOp = { op, bytes, resolve, reject };
      if (offloading) queued.offloading = this.#offload(queued, offloading);
      this.#queue.push(queued);
      this.#queuedBytes += bytes;
      this.#isUrgent ||= isUrgent;
      this.#schedule();
    });
  }

  /** Resolves when every write so far is durable. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0 || this.#inFlight) {
      this.#isUrgent = true;
      this.#schedule();
      await (this.#inFlight ?? this.#queue[0]?.offloading);
    }
    if (this.#failure) throw this.#failure;
  }

  /**
   * Ends the sending and returns the writes that are still queued, at most `maxBytes` of them: the rest is sent first.
   * `settle` resolves or rejects the `push` calls of the returned writes.
   */
  async drain(maxBytes: number): Promise<{
    firstSeq: number;
    ops: StoredOp[];
    /** Set when writes were refused: they are lost, and so is the attempt. */
    failure?: Error;
    settle(error?: unknown): void;
  }> {
    for (;;) {
      const offloading = this.#queue.find((queued) => queued.offloading !== undefined)?.offloading;
      const fits = this.#queue.length === 0 || this.#queuedBytes <= maxBytes;
      if (!offloading && !this.#inFlight && fits) break;
      if (!offloading && !this.#inFlight) this.#send();
      await (offloading ?? this.#inFlight);
    }
    clearTimeout(this.#timer);
    const queued = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    const firstSeq = this.#nextSeq;
    this.#nextSeq += queued.length;
    return {
      firstSeq,
      ops: queued.map(({ op }) => op),
      ...(this.#failure && { failure: this.#failure }),
      settle(error) {
        for (const { resolve, reject, release } of queued) {
          release?.({ isCertain: isCertain(error) });
          if (error === undefined) resolve();
          else reject(error);
        }
      },
    };
  }

  #schedule(): void {
    const [next] = this.#queue;
    if (this.#inFlight || !next || next.offloading) return;
    if (this.#isUrgent || this.#queuedBytes > this.#limits.batchBytes / 2) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#send();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#inFlight && this.#queue[0] && !this.#queue[0].offloading) this.#send();
    }, CHECKPOINT_LINGER_MS);
  }

  #send(): void {
    const batch = this.#takeBatch();
    const firstSeq = this.#nextSeq;
    this.#nextSeq += batch.length;
    const { threadId, runUuid, attempt } = this.#fence;
    const ops = batch.map(({ op }) => op);
    this.#inFlight = this.#port
      .applyBatch(threadId, { runUuid, attempt, firstSeq, ops })
      .then(
        () => {
          for (const { resolve, release } of batch) {
            release?.({ isCertain: true });
            resolve();
          }
        },
        (error: unknown) => {
          for (const { release } of batch) release?.({ isCertain: isCertain(error) });
          this.#fail(error, [...batch, ...this.#queue.splice(0)]);
        },
      )
      .finally(() => {
        this.#inFlight = undefined;
        this.#schedule();
      });
  }

  async #offload(queued: QueuedOp, offloading: Promise<OffloadedPayload<StoredOp>>): Promise<void> {
    try {
      const { kept, release } = await offloading;
      const at = this.#queue.indexOf(queued);
      if (at < 0) {
        // An earlier write failed meanwhile.
        release({ isCertain: true });
        return;
      }
      queued.op = kept;
      queued.release = release;
      this.#queuedBytes -= queued.bytes;
      queued.bytes = opBytes(kept);
      this.#queuedBytes += queued.bytes;
      if (queued.bytes > this.#limits.batchBytes) {
        throw this.#limits.beyondEngine(kept, queued.bytes);
      }
      delete queued.offloading;
      this.#schedule();
    } catch (error) {
      delete queued.offloading;
      const at = this.#queue.indexOf(queued);
      // Later writes depend on the lost one; earlier ones are still sent.
      if (at >= 0) this.#fail(error, this.#queue.splice(at));
    }
  }

  #fail(error: unknown, lost: QueuedOp[]): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#queuedBytes = this.#queue.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { reject, release } of lost) {
      release?.({ isCertain: true });
      reject(error);
    }
  }

  #takeBatch(): QueuedOp[] {
    let bytes = 0;
    let length = 0;
    for (const queued of this.#queue) {
      if (queued.offloading) break;
      if (length > 0 && bytes + queued.bytes > this.#limits.batchBytes) break;
      bytes += queued.bytes;
      length += 1;
    }
    const batch = this.#queue.splice(0, length);
    this.#queuedBytes -= bytes;
    if (this.#queue.length === 0) this.#isUrgent = false;
    return batch;
  }
}

/**
 * Whether it is certain that the thread accepted or refused the references: an unavailable engine may accept them
 * later.
 */
function isCertain(error: unknown): boolean {
  if (error === undefined) return true;
  return isServiceError(error) && !errorTable[error.code].retry && error.code !== 'internal';
}
