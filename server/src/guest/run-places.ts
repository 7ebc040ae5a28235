import type { RunId } from '../model/ids.ts';
import type { RunPlace } from '../model/run-place.ts';
import type { GuestProcess } from './guest-process.ts';
import { guestLimits, type GuestLimits } from './limits.ts';
import type { ProcessUsage } from './process-usage.ts';

/** What is asked of a guest. */
export type PlacedGuest = Pick<GuestProcess, 'usage' | 'confinement'>;

interface Visit {
  readonly where: Omit<RunPlace, 'used'>;
  readonly begun: ProcessUsage;
  /** Until the run is over. */
  guest?: PlacedGuest;
  used: RunPlace['used'];
}

/** Where the latest runs ran and what their guests used meanwhile. Bounded in number: the oldest goes first. */
export class RunPlaces {
  readonly #visits = new Map<RunId, Visit>();
  readonly #active = new Set<Visit>();
  readonly #limits: Pick<GuestLimits, 'placesKept'>;
  readonly #looking: NodeJS.Timeout;

  constructor(limits: Pick<GuestLimits, 'placesKept' | 'usageEveryMs'> = guestLimits) {
    this.#limits = limits;
    this.#looking = setInterval(() => this.look(), limits.usageEveryMs);
    this.#looking.unref();
  }

  /** The run is in this guest from now on, until what is returned is called. */
  begin(runId: RunId, guest: PlacedGuest, isShared: boolean): () => void {
    const { sandbox, limits } = guest.confinement;
    const begun = guest.usage();
    const where = { sandbox, isShared, ...(limits && { limits }) };
    const visit: Visit = { where, begun, guest, used: {} };
    this.#visits.delete(runId); // the newest is last
    this.#visits.set(runId, visit);
    this.#active.add(visit);
    this.#forgetOldest();
    return () => {
      note(visit);
      this.#active.delete(visit);
      delete visit.guest;
    };
  }

  /** Memory has peaks between the beginning of a run and its end. */
  look(): void {
    for (const visit of this.#active) note(visit);
  }

  read(runId: RunId): RunPlace | undefined {
    const visit = this.#visits.get(runId);
    return visit && { ...visit.where, used: visit.used };
  }

  remove(runId: RunId): void {
    this.#visits.delete(runId);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  #forgetOldest(): void {
    for (const runId of this.#visits.keys()) {
      if (this.#visits.size <= this.#limits.placesKept) return;
      this.#visits.delete(runId);
    }
  }
}

/** Of a guest that is gone nothing is told any more: what was seen last stays. */
function note(visit: Visit): void {
  const { begun, used, guest } = visit;
  const { memoryBytes, cpuSeconds } = guest?.usage() ?? {};
  const most = Math.max(...[begun.memoryBytes, used.memoryBytes, memoryBytes].map((n) => n ?? 0));
  visit.used = {
    ...used,
    ...(most > 0 && { memoryBytes: most }),
    ...(cpuSeconds !== undefined &&
      begun.cpuSeconds !== undefined && { cpuSeconds: microseconds(cpuSeconds - begun.cpuSeconds) }),
  };
}

/** In seconds still: the kernel counts no finer. */
function microseconds(seconds: number): number {
  return Math.max(0, Math.round(seconds * 1e6)) / 1e6;
}
