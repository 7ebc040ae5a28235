import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { GuestLine } from '../process/guest-output.ts';

/** A line with the run that wrote it, if that is known. */
export type AttributedLine = Omit<GuestLine, 'runUuid'> & { runId?: RunId };

/** A run of this guest. */
interface GuestRun {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/** Lines that name their run may arrive after its end: at most this number of runs is remembered by uuid. */
const KNOWN_RUNS = 1_000;

/**
 * A guest's active runs, and the one that ended last. Native code, programs that the agent starts, and a crashing
 * interpreter bypass the guest's runtime when they write: a line from a guest with a single run is attributed to that
 * run, with several runs to none. A guest names its runs by their uuids: only runs that it was given are accepted.
 */
export class GuestRuns {
  readonly #active = new Set<RunId>();
  /** By uuid; null: runs of two threads had that uuid. */
  readonly #known = new Map<string, RunId | null>();
  readonly #lateMs: number;
  #last: { runId: RunId; endedAt: number; wasAlone: boolean } | undefined;

  /** Lines arrive through a separate pipe, up to `lateMs` after the end of their run. */
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

  /** The runs that have not ended. */
  get active(): readonly RunId[] {
    return [...this.#active];
  }

  /** The line with its run, if that is known. */
  attribute({ runUuid, ...line }: GuestLine): AttributedLine {
    const runId = runUuid === undefined ? this.#onlyAt(line.at) : this.#known.get(runUuid);
    return runId === undefined || runId === null ? line : { ...line, runId };
  }

  #onlyAt(at: number): RunId | undefined {
    const [first, second] = this.#active;
    if (second !== undefined) return undefined;
    const last = this.#last;
    if (!last || at - last.endedAt > this.#lateMs) return first;
    // It may be a late line of the other run, which has just ended.
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
