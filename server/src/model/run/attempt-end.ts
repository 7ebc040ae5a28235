import type { AttemptResult } from '../thread/thread-wire.ts';
import type { RunEventKind } from './run-state.ts';

/** The result of an attempt that leaves no writes. `endedAt`: milliseconds, by the clock of the caller. */
export function withoutWrites(outcome: AttemptResult['outcome'], endedAt: number): AttemptResult {
  return { outcome, endedAt, firstSeq: 1, ops: [] };
}

/** What the end of an attempt is for its run. */
export function eventOf({ outcome }: AttemptResult): RunEventKind {
  if (outcome === 'completed') return 'complete';
  if (outcome === 'interrupted') return 'interrupt';
  return outcome === 'error' ? 'fail' : 'stop';
}
