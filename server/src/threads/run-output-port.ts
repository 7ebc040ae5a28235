import type { RunId } from '../model/ids.ts';
import type { RunSandbox } from '../model/run/run.ts';

/** The sandboxes of this process's latest runs, as long as they are kept. */
export interface RunSandboxPort {
  read(runId: RunId): RunSandbox | undefined;
  remove(runId: RunId): void;
}

/** A line that a run's agent wrote to stdout or stderr. */
export interface OutputLine {
  /** Counted from 1, over all attempts of the run. */
  id: number;
  /** Milliseconds. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  attempt: number;
}

/** The output of runs' agents, as long as it is kept. */
export interface RunOutputPort {
  /** Oldest first. */
  read(runId: RunId): readonly OutputLine[];
  /** How many lines the run has written, kept or not. */
  written(runId: RunId): number;
  remove(runId: RunId): void;
}
