import type { Payload } from './payload.ts';
import type { StoredOp } from './stored.ts';

/** A value prepared for the engine. Its references are protected from the collector until it is released. */
export interface OffloadedPayload<T> {
  kept: T;
  /**
   * Called once: the engine has the references, or certainly refused them. `isCertain: false`: the outcome is unknown,
   * so they are protected for a while longer.
   */
  release(outcome: { isCertain: boolean }): void;
}

/** How long the storage is retried while it is unavailable. */
export interface StorageRetry {
  patienceMs: number;
}

/**
 * The only conversion between a payload's bytes and the form in which a thread keeps it. Rejects with ServiceErrors.
 */
export interface PayloadPort {
  /** The bytes of one payload. Rejects when they are missing or damaged. */
  open(threadId: string, payload: Payload): Promise<Uint8Array>;
  /** One payload for the engine; undefined: it stays unchanged. */
  offload(
    threadId: string,
    bytes: Uint8Array,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>> | undefined;
  /** One write for the engine; undefined: it stays unchanged, as nearly all do, without a promise. */
  offloadOp(
    threadId: string,
    op: StoredOp<Uint8Array>,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<StoredOp>> | undefined;
  /** A payload of one thread for another one: an external payload is copied there. */
  copy(
    from: string,
    to: string,
    payload: Payload,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>>;
  /** The thread may have dropped some of its references. */
  changed(threadId: string): void;
  /** The thread was deleted. */
  removed(threadId: string): Promise<void>;
}

/** The part that runs need. */
export type RunPayloads = Pick<PayloadPort, 'open' | 'offload' | 'changed'>;
