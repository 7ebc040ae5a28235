import type { GuestLanguage } from './guest-program.ts';
import type { DroppedOutput } from '../process/output-allowance.ts';
import { processUsage } from '../process/process-usage.ts';

/** What figures are taken of. */
interface Lane {
  counts(): Readonly<Record<string, number>>;
  pids(): readonly number[];
}

/** How many guests there are and what they use, for metrics: read when somebody asks. */
export class GuestFigures {
  readonly #lanes: ReadonlyMap<GuestLanguage, Lane>;
  /** Killed because they gave no sign of life, by language. */
  readonly stuck: ReadonlyMap<GuestLanguage, number>;

  /** Bytes of output beyond what guests may write, by language. */
  readonly outputDropped = new Map<GuestLanguage, number>();

  constructor(lanes: ReadonlyMap<GuestLanguage, Lane>, stuck: ReadonlyMap<GuestLanguage, number>) {
    this.#lanes = lanes;
    this.stuck = stuck;
  }

  /** Counts what a guest of the language wrote beyond that. */
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

  /** Of the guests of each language together, in a sandbox with all that runs there. */
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
