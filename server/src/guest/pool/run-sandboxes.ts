import type { RunId } from '../../model/ids.ts';
import type { RunSandbox } from '../../model/run/run.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import type { ProcessUsage } from '../process/process-usage.ts';

/** The part of a guest that is measured. */
export type MeasuredGuest = Pick<GuestProcess, 'usage' | 'confinement'>;

interface MeasuredRun {
  readonly confinement: Omit<RunSandbox, 'used'>;
  readonly begun: ProcessUsage;
  /** Set until the run is over. */
  guest?: MeasuredGuest;
  used: RunSandbox['used'];
}

/** The sandboxes of the latest runs, and their guests' usage meanwhile. Bounded: the oldest is removed first. */
export class RunSandboxes {
  readonly #runs = new Map<RunId, MeasuredRun>();
  readonly #active = new Set<MeasuredRun>();
  readonly #limits: Pick<GuestLimits, 'runSandboxesKept'>;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: Pick<GuestLimits, 'runSandboxesKept' | 'usageEveryMs'> = guestLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#measureActive(), limits.usageEveryMs);
    this.#timer.unref();
  }

  /** The run is in this guest until the returned function is called. */
  begin(runId: RunId, guest: MeasuredGuest, isShared: boolean): () => void {
    const begun = guest.usage();
    const confinement = { ...guest.confinement, isShared };
    const run: MeasuredRun = { confinement, begun, guest, used: {} };
    this.#runs.delete(runId); // the newest is last
    this.#runs.set(runId, run);
    this.#active.add(run);
    this.#forgetOldest();
    return () => {
      measure(run);
      this.#active.delete(run);
      delete run.guest;
    };
  }

  /** Memory has peaks between the beginning of a run and its end. */
  #measureActive(): void {
    for (const run of this.#active) measure(run);
  }

  read(runId: RunId): RunSandbox | undefined {
    const run = this.#runs.get(runId);
    return run && { ...run.confinement, used: run.used };
  }

  remove(runId: RunId): void {
    this.#runs.delete(runId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #forgetOldest(): void {
    for (const runId of this.#runs.keys()) {
      if (this.#runs.size <= this.#limits.runSandboxesKept) return;
      this.#runs.delete(runId);
    }
  }
}

/** A guest that has exited has no usage: the last measurement stays. */
function measure(run: MeasuredRun): void {
  const { begun, used, guest } = run;
  const { memoryBytes, cpuSeconds } = guest?.usage() ?? {};
  const most = Math.max(...[begun.memoryBytes, used.memoryBytes, memoryBytes].map((n) => n ?? 0));
  run.used = {
    ...used,
    ...(most > 0 && { memoryBytes: most }),
    ...(cpuSeconds !== undefined &&
      begun.cpuSeconds !== undefined && {
        cpuSeconds: microseconds(cpuSeconds - begun.cpuSeconds),
      }),
  };
}

/** Rounds seconds to microseconds: the kernel counts no finer. */
function microseconds(seconds: number): number {
  return Math.max(0, Math.round(seconds * 1e6)) / 1e6;
}
