import { packFrame } from '../model/frame.ts';
import { engineBytesOf } from '../model/limits/limits.ts';
import { ceilingOf } from '../model/thread/thread-read.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type { QueryTooLarge } from '../model/thread/thread-wire.ts';

/** How often a page is made again with a lower ceiling; each attempt comes some per cent closer to the limit. */
const PAGE_TRIES = 8;

/**
 * Packs a page that stays below a ceiling. Its size is estimated: with long names it is made again with a lower
 * ceiling, until it fits or holds a single entry that does not.
 */
export function queryPage(state: ThreadState, page: (ceiling: number) => unknown): Uint8Array {
  const limit = engineBytesOf(ceilingOf(state));
  let ceiling = ceilingOf(state);
  let frame = packFrame(page(ceiling));
  for (let left = PAGE_TRIES; left > 0 && frame.byteLength > limit; left--) {
    ceiling = Math.floor((0.95 * ceiling * limit) / frame.byteLength);
    frame = packFrame(page(ceiling));
  }
  return resultOf(frame, limit);
}

/**
 * Packs the response of a query. One that the engine would refuse is replaced by its sizes, because the engine reports
 * it as an unknown query. Spec: Errors, "state read when the engine's query response exceeds its size ceiling".
 */
export function queryResult(state: ThreadState, result: unknown): Uint8Array {
  return resultOf(packFrame(result), engineBytesOf(ceilingOf(state)));
}

function resultOf(frame: Uint8Array, limit: number): Uint8Array {
  if (frame.byteLength <= limit) return frame;
  return packFrame({ tooLarge: { size: frame.byteLength, limit } } satisfies QueryTooLarge);
}
