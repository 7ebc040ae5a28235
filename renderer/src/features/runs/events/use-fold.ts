import { useMemo, useSyncExternalStore } from 'react';
import type { RunStream } from '../../../api/run-stream.ts';
import { createFolding, type Fold, type Folded } from './folding.ts';

/**
 * Folds the shown events of a stream, in slices that leave the page responsive. `create` must be stable: a new one
 * starts again. With `everyMs` the calling component renders at most that often.
 */
export function useFold<F extends Fold>(
  stream: RunStream | undefined,
  create: () => F,
  everyMs = 0,
): Folded<F> {
  const folding = useMemo(() => createFolding(stream, create, everyMs), [stream, create, everyMs]);
  return useSyncExternalStore(folding.subscribe, folding.read);
}
