import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { GuestLine } from '../process/guest-output.ts';

/** A line with the run that wrote it, where that is known. */
export type AttributedLine = Omit<GuestLine, 'runUuid'> & { runId?: RunId };

/** A run of this guest. */
interface GuestRun {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/** Lines that say their run may come behind its end: so many runs are known by their uuids. */
const KNOWN_RUNS = 1_000;

/**
 * The runs that a guest has at the moment, and the one that it had last. Native code, programs that the agent starts,
 * and an interpreter that dies write past the guest's runtime: what comes of a guest with a single run is of that run.
 * With more of them nobody can tell. A guest knows its runs by their uuids: it speaks for none that it was not given.
 */
export class GuestRuns {
  readonly #active = new Set<RunId>();
  /** By uuid; null: it had runs of two threads by that uuid. */
  readonly #known = new Map<string, RunId | null>();
  readonly #lateMs: number;
  #last: { runId: RunId; endedAt: number; wasAlone: boolean } | undefined;

  /** Lines come through a pipe of their own, up to `lateMs` behind the end of their run. */
  constructor(lateMs: number) {
    this.#lateMs = lateMs;
  }

  add({ threadId, runUuid }: GuestRun): void {
    const runId = compositeRunId(threadId, runUuid);
    this.#active.add(runId);
    const known = this.#known.get(runUuid);
    this.#known.delete(runUuid);
    this.#known.set(runUuid, known === undefined || known === runId ? runId : null);
    this.#forgetOldest();
  }

  end({ threadId, runUuid }: GuestRun): void {
    const runId = compositeRunId(threadId, runUuid);
    this.#active.delete(runId);
    this.#last = { runId, endedAt: Date.now(), wasAlone: this.#active.size === 0 };
  }

  /** The runs of the moment. */
  get active(): readonly RunId[] {
    return [...this.#active];
  }

  /** The line with its run, where that is known. */
  attribute({ runUuid, ...line }: GuestLine): AttributedLine {
    const runId = runUuid === undefined ? this.#onlyAt(line.at) : this.#known.get(runUuid);
    return runId === undefined || runId === null ? line : { ...line, runId };
  }

  #onlyAt(at: number): RunId | undefined {
    const [first, second] = this.#active;
    if (second !== undefined) return undefined;
    const last = this.#last;
    if (!last || at - last.endedAt > this.#lateMs) return first;
    // It may be a late line of the run that has just left the other one alone.
    if (!last.wasAlone) return undefined;
    return first ?? last.runId;
  }

  #forgetOldest(): void {
    for (const [runUuid, runId] of this.#known) {
      if (this.#known.size <= KNOWN_RUNS) return;
      if (runId === null || !this.#active.has(runId)) this.#known.delete(runUuid);
    }
  }
}
