import type { GuestLanguage } from './guest-program.ts';
import { processUsage } from './process-usage.ts';

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
  readonly outputDropped: ReadonlyMap<GuestLanguage, number>;

  constructor(
    lanes: ReadonlyMap<GuestLanguage, Lane>,
    { stuck, outputDropped }: Record<'stuck' | 'outputDropped', ReadonlyMap<GuestLanguage, number>>,
  ) {
    this.#lanes = lanes;
    this.stuck = stuck;
    this.outputDropped = outputDropped;
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
