import type { OutputLine } from './guest-output.ts';

/**
 * The runs that a guest has at the moment, and the one that it had last. Native code, programs that the agent starts,
 * and an interpreter that dies write past the guest's runtime: what comes of a guest with a single run is of that run.
 * With more of them nobody can tell.
 */
export class GuestRuns {
  readonly #active = new Set<string>();
  readonly #lateMs: number;
  #last: { runId: string; endedAt: number; wasAlone: boolean } | undefined;

  /** Lines come through a pipe of their own, up to `lateMs` behind the end of their run. */
  constructor(lateMs: number) {
    this.#lateMs = lateMs;
  }

  add(runId: string): void {
    this.#active.add(runId);
  }

  end(runId: string): void {
    this.#active.delete(runId);
    this.#last = { runId, endedAt: Date.now(), wasAlone: this.#active.size === 0 };
  }

  /** The line with its run, where that is known. */
  attribute(line: OutputLine): OutputLine {
    const runId = line.runId ?? this.#onlyAt(line.at);
    return runId === undefined ? line : { ...line, runId };
  }

  #onlyAt(at: number): string | undefined {
    const [first, second] = this.#active;
    if (second !== undefined) return undefined;
    const last = this.#last;
    if (!last || at - last.endedAt > this.#lateMs) return first;
    // It may be a late line of the run that has just left the other one alone.
    if (!last.wasAlone) return undefined;
    return first ?? last.runId;
  }
}
