import type { RunId } from '../model/ids.ts';
import type { RunSandbox } from '../model/run/run.ts';

/** Where the latest runs of this process ran, while that is kept. */
export interface RunSandboxPort {
  read(runId: RunId): RunSandbox | undefined;
  remove(runId: RunId): void;
}

/** A line that the agent of a run has written to stdout or stderr. */
export interface OutputLine {
  /** Counted from 1, over all attempts of the run. */
  id: number;
  /** Milliseconds. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  attempt: number;
}

/** What the agents of runs have written, while it is kept. */
export interface RunOutputPort {
  /** Oldest first. */
  read(runId: RunId): readonly OutputLine[];
  /** How many lines the run has written, kept or not. */
  written(runId: RunId): number;
  remove(runId: RunId): void;
}
