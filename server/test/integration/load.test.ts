/** @module-tag nightly */
/** @module-tag alone */
/**
 * What hundreds of clients cost a separate service: memory is measured, so nothing else may run beside it. What
 * must be true however many they are is in `many-clients.test.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { residentMegabytes } from '../bench/processes.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { heapInUse, inspectable } from '../fixtures/heap-in-use.ts';
import {
  bulkRun,
  expectEveryEvent,
  expectNobodyHeldUp,
  expectNothingMissed,
  LIMIT_MS,
  workThreads,
} from '../fixtures/many-clients.ts';
import { awaitRun, createRun, type RunResponse } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const LOAD = { threads: 200, atOnce: 24 };
const RUNS_OF_A_ROUND = 5 * LOAD.threads;
/** The threads of two rounds fill what the server keeps of threads, deleted ones too (`engine/engine-room.ts`). */
const WARM_ROUNDS = 3;
const ROUNDS = 3;
/** The events of ended runs are kept for ten minutes, some kB each; a thread that is left behind takes 1 MB. */
const MOST_HEAP_OF_A_RUN = 10_000;
/** Of the memory of the warm server, after all the rounds. */
const MOST_GROWTH = 0.15;
const IDLE_MS = 8_000;
const STUCK = 16;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startDurableService({ environment: inspectable });
  await whenHealthy(service.url);
});
afterAll(() => service.stop());

it(
  'a warm server that has served 3,000 runs more holds no more than before',
  async ({ onTestFailed }) => {
    onTestFailed(() => void process.stdout.write(`The service warned:\n${warnings()}\n`));
    const figures: { heap: number; resident: number }[] = [];
    for (let round = 1; round <= WARM_ROUNDS + ROUNDS; round += 1) {
      await workThreads(service.url, LOAD);
      await pause(IDLE_MS);
      const heap = await heapInUse(service.output());
      figures.push({ heap, resident: residentMegabytes(service.pid) });
      process.stdout.write(`after ${round} rounds: ${JSON.stringify(figures.at(-1))}\n`);
    }
    const [warm, last] = [figures[WARM_ROUNDS - 1], figures.at(-1)];
    if (!warm || !last) throw new Error('No figures.');
    expect((last.heap - warm.heap) / (ROUNDS * RUNS_OF_A_ROUND)).toBeLessThan(MOST_HEAP_OF_A_RUN);
    expect((last.resident - warm.resident) / warm.resident).toBeLessThan(MOST_GROWTH);
  },
  10 * LIMIT_MS,
);

it(
  '1,000 readers of one run all get every event up to the last, in order',
  () => expect(expectEveryEvent(service.url, 1_000)).resolves.toBeUndefined(),
  LIMIT_MS,
);

it(
  'a reader that is cut off at 200 random bytes misses nothing and gets nothing twice',
  () =>
    expect(
      expectNothingMissed(service.url, { cuts: 200, steps: 300, longestPieceBytes: 1_800 }),
    ).resolves.toBeUndefined(),
  LIMIT_MS,
);

it(
  'readers that never read cost the server no memory for what they do not take',
  async () => {
    const alone = await mostMemoryUntilEnd(await createRun(service.url, bulkRun));
    let beside = 0;
    await expectNobodyHeldUp(service.url, STUCK, async (run) => {
      beside = await mostMemoryUntilEnd(run);
    });
    // Unbounded, these readers would have the server hold all of the events, each for itself.
    const { total, label } = bulkRun.input;
    const unbounded = (STUCK * total * label.length) / 1e6;
    expect(beside - alone).toBeLessThan(unbounded / 3);
  },
  LIMIT_MS,
);

/** The most megabytes that were resident until the run had completed. */
async function mostMemoryUntilEnd(run: RunResponse): Promise<number> {
  let megabytes = 0;
  const look = (): void => void (megabytes = Math.max(megabytes, residentMegabytes(service.pid)));
  const watch = setInterval(look, 200);
  try {
    const final = await awaitRun(service.url, run.run_id, LIMIT_MS);
    expect(final).toMatchObject({ status: 'completed' });
  } finally {
    clearInterval(watch);
  }
  look();
  return megabytes;
}

/** What the service has warned of lately: why it refused something. */
function warnings(): string {
  const lines = service.output().split('\n');
  return lines
    .filter((line) => / (WARN|ERROR) /.test(line))
    .slice(-50)
    .join('\n');
}
