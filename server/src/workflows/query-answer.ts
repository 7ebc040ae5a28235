import { packFrame } from '../model/frame.ts';
import { ENGINE_PAYLOAD_BYTES, PAYLOAD_MARGIN } from '../model/limits.ts';
import type { ThreadState } from '../model/thread-state.ts';
import type { QueryTooLarge } from '../model/thread-wire.ts';

/** What the engine counts beside our bytes. */
const ENGINE_ENVELOPE_BYTES = 1_024;

/**
 * Packs the answer of a query. One that the engine would refuse is replaced by its sizes, because the engine reports it
 * as an unknown query. Spec: Errors, "state read when the engine's query response exceeds its size ceiling".
 */
export function queryAnswer({ settings }: ThreadState, answer: unknown): Uint8Array {
  const frame = packFrame(answer);
  const { payloadBytes } = settings;
  const engineLimit =
    payloadBytes === undefined ? ENGINE_PAYLOAD_BYTES : Math.floor(payloadBytes / PAYLOAD_MARGIN);
  const limit = engineLimit - ENGINE_ENVELOPE_BYTES;
  if (frame.byteLength <= limit) return frame;
  return packFrame({ tooLarge: { size: frame.byteLength, limit } } satisfies QueryTooLarge);
}
