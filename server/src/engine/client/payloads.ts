/*
 * Off by default (`engine.external_storage`). A claim check made by the host: before a write goes to the workflow,
 * `engine/client/payloads.ts` replaces every payload of 64 KiB and more by a reference (hash, size), once `storage` has
 * written it durably.
 *
 * The workflow, its history and its continue-as-new payload see references only. An inline payload above 16 KiB is
 * deflated when that saves a tenth, with storage or without: so a checkpoint of 1 MiB fits beside its JSON projection.
 *
 * Offloaded: checkpoint writes (the batcher keeps their order while their payloads are written concurrently), inputs
 * and outputs of runs, interrupts, POST state, copies (stored for the target thread). A write without a large
 * payload creates no promise.
 *
 * Storage unavailable: a save, or a run's end, is retried for 60 s, then the attempt is INFRA. With a full disk it is
 * retried for 5 s, then the run ends `storage_full`. Requests and reads are retried for 10 s, then 503.
 */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import {
  isDeflated,
  isReference,
  type Payload,
  type PayloadRef,
} from '../../model/checkpoint/payload.ts';
import type { StoredOp } from '../../model/checkpoint/stored.ts';
import type {
  OffloadedPayload,
  PayloadPort,
  StorageRetry,
} from '../../model/checkpoint/payload-port.ts';
import {
  DEFLATE_ABOVE_BYTES,
  DEFLATE_PAYS_AT,
  hasPayloadOf,
  offloadOp,
} from '../../model/checkpoint/offloading.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Fast rather than small: every save waits for it. */
const DEFLATE_LEVEL = 1;

/** The storage of payloads outside of their threads. */
export interface ExternalPayloads {
  /** Payloads of at least this many bytes are stored there. */
  readonly thresholdBytes: number;
  /** Durable when it resolves. `storage_unavailable`, `storage_full`. */
  put(
    threadId: string,
    bytes: Uint8Array,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<PayloadRef>>;
  /**
   * Verified against hash and size. `storage_unavailable`, `checkpoint_damaged`, `checkpoint_not_found`: since dropped.
   */
  get(threadId: string, ref: PayloadRef): Promise<Uint8Array>;
  /** The thread may have dropped some of its references. */
  changed(threadId: string): void;
  /** The thread was deleted; resolves when all its payloads are removed, or left to the sweep. */
  removed(threadId: string): Promise<void>;
}

/** Payloads stored within their thread, or in the external storage where one is configured. */
export class Payloads implements PayloadPort {
  readonly #external: ExternalPayloads | undefined;
  readonly #disk: Pick<Disk, 'untilSpace'>;
  readonly #threshold: number;
  readonly #largeFrom: number;

  constructor(external?: ExternalPayloads, disk: Pick<Disk, 'untilSpace'> = unknownDisk) {
    this.#external = external;
    this.#disk = disk;
    this.#threshold = external?.thresholdBytes ?? Number.POSITIVE_INFINITY;
    this.#largeFrom = Math.min(this.#threshold, DEFLATE_ABOVE_BYTES);
  }

  async open(threadId: string, payload: Payload): Promise<Uint8Array> {
    if (isDeflated(payload)) return inflateWhole(payload.deflated, payload.size);
    if (!isReference(payload)) return payload;
    if (this.#external) return this.#external.get(threadId, payload);
    throw new ServiceError(
      'checkpoint_damaged',
      `The payload ${payload.hash} lies in the external checkpoint storage, which is switched off: ` +
        'set engine.external_storage.type to what it was when the thread was written.',
      { details: { blob: payload.hash } },
    );
  }

  offload(
    threadId: string,
    bytes: Uint8Array,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>> | undefined {
    return bytes.byteLength < this.#largeFrom ? undefined : this.#keep(threadId, bytes, retry);
  }

  offloadOp(
    threadId: string,
    op: StoredOp<Uint8Array>,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<StoredOp>> | undefined {
    if (!hasPayloadOf(op, this.#largeFrom)) return undefined;
    return held((hold) =>
      offloadOp(op, async (bytes) => hold(await this.#keep(threadId, bytes, retry))),
    );
  }

  async copy(
    from: string,
    to: string,
    payload: Payload,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>> {
    if (!isReference(payload)) return unheld(payload);
    return this.#keep(to, await this.open(from, payload), retry);
  }

  changed(threadId: string): void {
    this.#external?.changed(threadId);
  }

  async removed(threadId: string): Promise<void> {
    await this.#external?.removed(threadId);
  }

  async #keep(
    threadId: string,
    bytes: Uint8Array,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>> {
    if (this.#external && bytes.byteLength >= this.#threshold) {
      // The reference would have to wait for free space, too, and payloads on the same disk would use up what is left
      // for writes that are already accepted.
      await this.#disk.untilSpace(retry);
      return this.#external.put(threadId, bytes, retry);
    }
    if (bytes.byteLength < DEFLATE_ABOVE_BYTES) return unheld(bytes);
    const deflated = await deflate(bytes, { level: DEFLATE_LEVEL });
    const pays = deflated.byteLength <= bytes.byteLength * DEFLATE_PAYS_AT;
    return unheld(pays ? { deflated, size: bytes.byteLength } : bytes);
  }
}

/** Offloads several payloads as one: they are released together, and at once when one of them fails. */
async function held<T>(
  work: (hold: <P>(offloaded: OffloadedPayload<P>) => P) => Promise<T>,
): Promise<OffloadedPayload<T>> {
  const all: OffloadedPayload<unknown>[] = [];
  let failed = false;
  const release: OffloadedPayload<T>['release'] = (outcome) => {
    for (const offloaded of all.splice(0)) offloaded.release(outcome);
  };
  try {
    const kept = await work((offloaded) => {
      // Sibling payloads may still be in flight when the first one fails.
      if (failed) offloaded.release({ isCertain: true });
      else all.push(offloaded);
      return offloaded.kept;
    });
    return { kept, release };
  } catch (error) {
    failed = true;
    release({ isCertain: true });
    throw error;
  }
}

function unheld<T>(kept: T): OffloadedPayload<T> {
  return { kept, release: () => undefined };
}

async function inflateWhole(deflated: Uint8Array, size: number): Promise<Uint8Array> {
  try {
    const content = await inflate(deflated, { maxOutputLength: Math.max(1, size) });
    if (content.byteLength === size) return content;
  } catch (error) {
    if (isServiceError(error)) throw error;
  }
  throw new ServiceError('checkpoint_damaged', 'A deflated payload cannot be read.');
}
