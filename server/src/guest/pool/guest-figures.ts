import type { GuestLanguage } from './guest-program.ts';
import type { DroppedOutput } from '../process/output-allowance.ts';
import { processUsage } from '../process/process-usage.ts';

/** The part of a lane that is measured. */
interface Lane {
  counts(): Readonly<Record<string, number>>;
  pids(): readonly number[];
}

/** The number of guests and their resource usage, for metrics: computed on request. */
export class GuestFigures {
  readonly #lanes: ReadonlyMap<GuestLanguage, Lane>;
  /** Killed because they gave no sign of life, by language. */
  readonly stuck: ReadonlyMap<GuestLanguage, number>;

  /** Bytes of output dropped beyond the limits of guests, by language. */
  readonly outputDropped = new Map<GuestLanguage, number>();

  constructor(lanes: ReadonlyMap<GuestLanguage, Lane>, stuck: ReadonlyMap<GuestLanguage, number>) {
    this.#lanes = lanes;
    this.stuck = stuck;
  }

  /** Returns a function that counts the dropped output of a guest of the language. */
  dropped(language: GuestLanguage): (dropped: DroppedOutput) => void {
    return ({ bytes }) => {
      this.outputDropped.set(language, (this.outputDropped.get(language) ?? 0) + bytes);
    };
  }

  counts(): { language: GuestLanguage; state: string; count: number }[] {
    return [...this.#lanes].flatMap(([language, lane]) =>
      Object.entries(lane.counts()).map(([state, count]) => ({ language, state, count })),
    );
  }

  /** Total usage of the guests of each language; in a sandbox, of all its processes. */
  usage(): { language: GuestLanguage; memoryBytes: number; cpuSeconds: number }[] {
    return [...this.#lanes].map(([language, lane]) => {
      const used = lane.pids().map(processUsage);
      const sum = (values: readonly (number | undefined)[]): number =>
        values.reduce<number>((all, one) => all + (one ?? 0), 0);
      return {
        language,
        memoryBytes: sum(used.map(({ memoryBytes }) => memoryBytes)),
        cpuSeconds: sum(used.map(({ cpuSeconds }) => cpuSeconds)),
      };
    });
  }
}
