import type { RunId } from '../model/ids.ts';
import type { RunSandbox } from '../model/run/run-sandbox.ts';

/** Where the latest runs of this process ran, while that is kept. */
export interface RunSandboxPort {
  read(runId: RunId): RunSandbox | undefined;
  remove(runId: RunId): void;
}
