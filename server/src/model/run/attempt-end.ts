import type { AttemptResult } from '../thread/thread-wire.ts';

/** The result of an attempt that leaves no writes. `endedAt`: milliseconds, by the clock of the caller. */
export function withoutWrites(outcome: AttemptResult['outcome'], endedAt: number): AttemptResult {
  return { outcome, endedAt, firstSeq: 1, ops: [] };
}
