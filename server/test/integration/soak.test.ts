/** @module-tag nightly */
/** @module-tag alone */
/**
 * A thread of thousands of runs, over several changes of execution and a restart: the last runs cost what the first
 * ones did. Memory and processor time are measured, so nothing else may run beside it. `node server/test/soak/soak.ts`
 * takes any number of runs.
 */
import { expect, test } from 'vitest';
import { testPython } from '../fixtures/durable-service.ts';
import { soakAgents } from '../soak/agents.ts';
import { soakThread, type SoakSample } from '../soak/long-thread.ts';

/** Three thousand are twelve histories or so, and a thread keeps a thousand: what grows until then has grown. */
const RUNS = 3_000;
const FULL = 3;
/** One sample may come just before garbage is collected: three count, from `FULL` on and at the end. */
const SAMPLES = 3;
const MOST_MORE = 1.3;
const MOST_MORE_MEMORY = 1.1;
/** The events of ended runs are kept for ten minutes, some kB each; those of a supervisor fill their 64 MiB long before. */
const MOST_HEAP_OF_A_RUN = 10_000;
/** A guest keeps nothing of a run; from one look to the next its heap differs by some 0.5 MB, 300 bytes a run. */
const MOST_HEAP_OF_A_GUEST = 1_000;

test.each([
  { name: 'that does nothing', agent: soakAgents.noop_js, values: { count: RUNS } },
  { name: 'with sub-graphs', agent: soakAgents.supervisor, values: { count: RUNS, seen: RUNS } },
])(
  'an agent $name: a thread of many runs exists after a restart, and its last runs cost what the first ones did',
  async ({ agent, values }) => {
    const figures = await soakThread({
      ...agent,
      runs: RUNS,
      measuresHeaps: true,
      flags: ['--interpreter', testPython()],
      onProgress: (line) => void process.stdout.write(`${line}\n`),
    });
    expect(figures.values).toMatchObject(values);
    const full = figures.samples[FULL];
    const last = figures.samples.at(-1);
    if (!full || !last) throw new Error('No figures.');
    for (const part of ['server', 'engine', 'guest'] as const) {
      expect(last.processor[part]).toBeLessThan(MOST_MORE * full.processor[part]);
    }
    if (!full.heap || !last.heap) throw new Error('No heaps.');
    const runs = last.runs - full.runs;
    expect((last.heap.server - full.heap.server) / runs).toBeLessThan(MOST_HEAP_OF_A_RUN);
    expect((last.heap.guest - full.heap.guest) / runs).toBeLessThan(MOST_HEAP_OF_A_GUEST);
    const before = figures.samples.slice(FULL, FULL + SAMPLES);
    const after = figures.samples.slice(-SAMPLES);
    for (const part of ['engine', 'guest'] as const) {
      const [much, little] = [after, before].map((some) => median(some, part));
      expect(much).toBeLessThan(MOST_MORE_MEMORY * (little ?? 0));
    }
    expect(last.memory.server).toBeLessThan(MOST_MORE * full.memory.server);
  },
  3_600_000,
);

function median(samples: readonly SoakSample[], part: 'engine' | 'guest'): number {
  const sorted = samples.map(({ memory }) => memory[part]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
