import { packFrame } from '../model/frame.ts';
import { engineBytesOf, PAYLOAD_CEILING_BYTES } from '../model/limits.ts';
import type { ThreadState } from '../model/thread-state.ts';
import type { QueryTooLarge } from '../model/thread-wire.ts';

/**
 * Packs the answer of a query. One that the engine would refuse is replaced by its sizes, because the engine reports it
 * as an unknown query. Spec: Errors, "state read when the engine's query response exceeds its size ceiling".
 */
export function queryAnswer({ settings }: ThreadState, answer: unknown): Uint8Array {
  const frame = packFrame(answer);
  const limit = engineBytesOf(settings.payloadBytes ?? PAYLOAD_CEILING_BYTES);
  if (frame.byteLength <= limit) return frame;
  return packFrame({ tooLarge: { size: frame.byteLength, limit } } satisfies QueryTooLarge);
}
