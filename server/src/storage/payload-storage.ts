import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { PayloadRef } from '../model/checkpoint/payload.ts';
import type { HistogramPort } from '../observability/metrics.ts';
import type { BlobBackend } from './blob-backend.ts';
import { Collector, pause, type StorageLogger } from './collector.ts';
import { OpenedPayloads } from './opened-payloads.ts';
import { Pins } from './pins.ts';
import type { ThreadReferences } from '../model/thread/thread-references.ts';
import { objectName } from './thread-name.ts';

/** Concurrent calls to the backend: puts of one save are written in parallel. */
const CALLS_AT_ONCE = 8;

/** How long a read waits for an unavailable backend before the request fails with 503. */
const READ_PATIENCE_MS = 10_000;

/** A full disk rarely gets free space by waiting. */
const FULL_PATIENCE_MS = 5_000;

/** How long an object is held after a call with an unknown outcome: the engine may still apply it. */
const UNSURE_HOLD_MS = 120_000;

/** Objects of other services are between put and reference for less than this: both time out much sooner. */
const SHARED_GRACE_MS = 60 * 60 * 1_000;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Larger contents are hashed off the main thread. */
const HASH_INLINE_BYTES = 256 * 1_024;

/** A reference, and the release of its object: after it the thread's references decide. */
export interface HeldReference {
  kept: PayloadRef;
  release(outcome: { isCertain: boolean }): void;
}

export interface PayloadStorageOptions {
  backend: BlobBackend;
  thresholdBytes: number;
  logger: StorageLogger;
  payloadBytes: HistogramPort<'operation'>;
}

/** Payloads outside of their threads: content-addressed, checked on every read, collected when unreferenced. */
export class PayloadStorage {
  readonly thresholdBytes: number;
  readonly #backend: BlobBackend;
  readonly #payloadBytes: HistogramPort<'operation'>;
  readonly #logger: StorageLogger;
  readonly #limitCalls = pLimit(CALLS_AT_ONCE);
  readonly #opened = new OpenedPayloads();
  readonly #pins = new Pins();
  readonly #closing = new AbortController();
  readonly #unsure = new Set<NodeJS.Timeout>();
  #references: Pick<ThreadReferences, 'references'> | undefined;
  #collector: Collector | undefined;

  constructor({ backend, thresholdBytes, logger, payloadBytes }: PayloadStorageOptions) {
    this.#backend = backend;
    this.thresholdBytes = thresholdBytes;
    this.#logger = logger;
    this.#payloadBytes = payloadBytes;
  }

  /** Starts removing unreferenced objects. `isShared`: other services of the same engine may write here as well. */
  collect(
    references: Pick<ThreadReferences, 'references'>,
    { isShared }: { isShared: boolean },
  ): void {
    const graceMs = isShared ? SHARED_GRACE_MS : 0;
    this.#references = references;
    this.#collector = new Collector({
      backend: this.#backend,
      pins: this.#pins,
      references,
      graceMs,
      logger: this.#logger,
    });
    this.#collector.start();
  }

  /** Durable when it resolves. Rejects with `storage_unavailable` or `storage_full` after `patienceMs`. */
  async put(
    threadId: string,
    bytes: Uint8Array,
    { patienceMs }: { patienceMs: number },
  ): Promise<HeldReference> {
    const hash = await hashOf(bytes);
    const unpin = await this.#pins.hold(threadId, hash);
    const letGo = (): void => {
      unpin();
      // The reference may not have been stored.
      this.#collector?.touch(threadId);
    };
    try {
      await this.#patiently(patienceMs, () => this.#backend.put(threadId, hash, bytes));
    } catch (error) {
      letGo();
      throw error;
    }
    this.#payloadBytes.observe({ operation: 'put' }, bytes.byteLength);
    this.#collector?.added(threadId);
    const release: HeldReference['release'] = ({ isCertain }) => {
      if (isCertain) letGo();
      else this.#later(letGo);
    };
    return { kept: { hash, size: bytes.byteLength }, release };
  }

  /** Checked against hash and size. `checkpoint_damaged`, `checkpoint_not_found`, `storage_unavailable`. */
  async get(threadId: string, ref: PayloadRef): Promise<Uint8Array> {
    // An invalid hash fails at once, without a wait for the backend.
    objectName(ref.hash);
    const known = this.#opened.find(threadId, ref.hash);
    if (known) return known;
    const bytes = await this.#patiently(READ_PATIENCE_MS, () =>
      this.#backend.get(threadId, ref.hash),
    );
    if (!bytes) throw await this.#missing(threadId, ref);
    if (bytes.byteLength !== ref.size || (await hashOf(bytes)) !== ref.hash) {
      const sentence = `The blob ${ref.hash} is not what was written.`;
      throw new ServiceError('checkpoint_damaged', sentence, { details: { blob: ref.hash } });
    }
    this.#payloadBytes.observe({ operation: 'get' }, bytes.byteLength);
    this.#opened.remember(threadId, ref.hash, bytes);
    return bytes;
  }

  /** The thread may have dropped some of its references. */
  changed(threadId: string): void {
    this.#collector?.touch(threadId);
  }

  /** The thread was deleted: removes its objects. The sweep removes those that cannot be removed now. */
  async removed(threadId: string): Promise<void> {
    await this.#collector?.removeThread(threadId);
  }

  /** Ends all retries: a stop does not wait for an unavailable storage. */
  abandon(): void {
    this.#closing.abort();
  }

  async close(): Promise<void> {
    this.abandon();
    for (const timer of this.#unsure) clearTimeout(timer);
    await this.#collector?.close();
    this.#backend.close();
  }

  /** The thread may have dropped the reader's reference meanwhile: then nothing is damaged. */
  async #missing(threadId: string, { hash }: PayloadRef): Promise<ServiceError> {
    const references = await this.#references?.references(threadId);
    if (references === 'gone') {
      return new ServiceError('thread_not_found', `There is no thread ${threadId}.`);
    }
    if (references && !references.has(hash)) {
      return new ServiceError('checkpoint_not_found', 'The checkpoint is no longer retained.');
    }
    const sentence = `The blob ${hash} is missing from the external checkpoint storage.`;
    return new ServiceError('checkpoint_damaged', sentence, { details: { blob: hash } });
  }

  #later(letGo: () => void): void {
    const timer = setTimeout(() => {
      this.#unsure.delete(timer);
      letGo();
    }, UNSURE_HOLD_MS);
    timer.unref();
    this.#unsure.add(timer);
  }

  /** Retries until the call succeeds or `patienceMs` has passed; then it rejects with the last error. */
  async #patiently<T>(patienceMs: number, call: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        return await this.#limitCalls(call);
      } catch (error) {
        const isFull = isServiceError(error) && error.code === 'storage_full';
        const limit = isFull ? Math.min(patienceMs, FULL_PATIENCE_MS) : patienceMs;
        if (this.#closing.signal.aborted || performance.now() - begin + wait > limit) throw error;
        await pause(wait, this.#closing.signal);
      }
    }
  }
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  if (bytes.byteLength <= HASH_INLINE_BYTES) {
    return createHash('sha256').update(bytes).digest('hex');
  }
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Buffer.from(digest).toString('hex');
}
