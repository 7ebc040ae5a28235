/** Many runs on one thread, over several changes of execution: the soak test, with few runs. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testPython } from '../fixtures/durable-service.ts';
import { soakThread } from '../soak/long-thread.ts';

const RUNS = 250;

test('a thread of many runs is there as it was after a restart', async () => {
  const figures = await soakThread({
    agents: fileURLToPath(new URL('../bench/agents', import.meta.url)),
    agent: 'noop_js',
    flags: ['--interpreter', testPython()],
    runs: RUNS,
  });
  expect(figures.count).toBe(RUNS);
  expect(figures.samples).toHaveLength(10);
}, 300_000);
