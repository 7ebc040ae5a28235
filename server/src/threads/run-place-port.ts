import type { RunId } from '../model/ids.ts';
import type { RunPlace } from '../model/run-place.ts';

/** Where the latest runs of this process ran, while that is kept. */
export interface RunPlacePort {
  read(runId: RunId): RunPlace | undefined;
  remove(runId: RunId): void;
}
