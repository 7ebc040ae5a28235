import type { Payload } from './payload.ts';
import type { StoredOp } from './stored.ts';

/** Something made ready for the engine. What it references is kept from the collector until it is let go of. */
export interface OffloadedPayload<T> {
  kept: T;
  /**
   * Called once: the engine has the references, or refused them for certain. `isCertain: false`: nobody knows, so they
   * are kept for a while longer.
   */
  release(outcome: { isCertain: boolean }): void;
}

/** How long the storage is tried again while it is away. */
export interface StorageRetry {
  patienceMs: number;
}

/** The only way between the bytes of a payload and the form in which a thread keeps it. Rejects with ServiceErrors. */
export interface PayloadPort {
  /** The bytes of one payload. Rejects when they are missing or damaged. */
  open(threadId: string, payload: Payload): Promise<Uint8Array>;
  /** One payload for the engine; undefined: it stays as it is. */
  offload(
    threadId: string,
    bytes: Uint8Array,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>> | undefined;
  /** One write for the engine; undefined: it stays as it is, as nearly all do, without a promise. */
  offloadOp(
    threadId: string,
    op: StoredOp<Uint8Array>,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<StoredOp>> | undefined;
  /** A payload of one thread for another one: what lies outside is copied there. */
  copy(
    from: string,
    to: string,
    payload: Payload,
    retry: StorageRetry,
  ): Promise<OffloadedPayload<Payload>>;
  /** The thread may have dropped some of what it referenced. */
  changed(threadId: string): void;
  /** The thread is gone for good. */
  removed(threadId: string): Promise<void>;
}

/** As far as runs need it. */
export type RunPayloads = Pick<PayloadPort, 'open' | 'offload' | 'changed'>;
