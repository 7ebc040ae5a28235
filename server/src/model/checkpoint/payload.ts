import type { TypedBytes } from './checkpoint.ts';

/** Bytes stored outside of the thread, in the external checkpoint storage. Content-addressed within the thread. */
export interface PayloadRef {
  /** SHA-256 of the content, 64 hex digits. */
  hash: string;
  /** Bytes of the content. */
  size: number;
}

/** Bytes that were deflated (RFC 1951) to take less space in the engine. */
export interface DeflatedPayload {
  deflated: Uint8Array;
  /** Bytes of the content. */
  size: number;
}

/**
 * A payload as a thread keeps it. The workflow never reads its content: only the host that wrote it opens it again, so
 * neither the history, nor the continue-as-new payload, nor the worker's memory grows with external payloads.
 */
export type Payload = Uint8Array | DeflatedPayload | PayloadRef;

/** `TypedBytes` as a thread keeps them. */
export interface TypedPayload<P = Payload> {
  tag: string;
  bytes: P;
}

/** The size of a reference in a frame: its hash, its size and the JSON around them. */
const REFERENCE_BYTES = 112;

/** Whether the payload is stored outside of the thread. */
export function isReference(payload: Payload): payload is PayloadRef {
  return 'hash' in payload;
}

/** Whether the payload was deflated. */
export function isDeflated(payload: Payload): payload is DeflatedPayload {
  return 'deflated' in payload;
}

/** Bytes of the content, inline or external. */
export function contentBytes(payload: Payload): number {
  return 'size' in payload ? payload.size : payload.byteLength;
}

/** Bytes that the payload takes in the engine: the engine's limits apply to these. */
export function engineBytes(payload: Payload): number {
  if (isReference(payload)) return REFERENCE_BYTES;
  return isDeflated(payload) ? payload.deflated.byteLength : payload.byteLength;
}

/** No bytes at all. */
export function emptyTyped(tag = ''): TypedBytes {
  return { tag, bytes: new Uint8Array(0) };
}
