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
import { soakThread } from '../soak/long-thread.ts';

/** Three thousand are twelve histories or so, and a thread keeps a thousand: what grows until then has grown. */
const RUNS = 3_000;
const FULL = 3;
const MOST_MORE = 1.3;

test.each([
  { name: 'that does nothing', agent: soakAgents.noop_js, values: { count: RUNS } },
  { name: 'with sub-graphs', agent: soakAgents.supervisor, values: { count: RUNS, seen: RUNS } },
])(
  'an agent $name: a thread of many runs exists after a restart, and its last runs cost what the first ones did',
  async ({ agent, values }) => {
    const figures = await soakThread({
      ...agent,
      runs: RUNS,
      flags: ['--interpreter', testPython()],
      onProgress: (line) => void process.stdout.write(`${line}\n`),
    });
    expect(figures.values).toMatchObject(values);
    const full = figures.samples[FULL];
    const last = figures.samples.at(-1);
    if (!full || !last) throw new Error('No figures.');
    for (const part of ['server', 'engine', 'guest'] as const) {
      expect(last.processor[part]).toBeLessThan(MOST_MORE * full.processor[part]);
      expect(last.memory[part]).toBeLessThan(MOST_MORE * full.memory[part]);
    }
  },
  3_600_000,
);
