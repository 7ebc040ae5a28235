/**
 * `TEST_PYTHON=… node server/test/soak/attacks.ts [rounds] [snapshot-folder]`: what a service holds after round upon
 * round of attacks. With a folder, heap snapshots of the server's main isolate after the warm rounds and at the end.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { residentMegabytes, serviceProcesses } from '../bench/processes.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { inspectable, memoryInUse, writeSnapshot } from '../fixtures/heap-in-use.ts';
import { attack } from './attack-round.ts';

const WARM_ROUNDS = 3;
const [rounds = '12', folder] = process.argv.slice(2);
const token = randomUUID();

const service = await startDurableService({
  environment: {
    ...inspectable,
    SERVICE_API_SERVICE_TOKEN: token,
    SERVICE_LOG_LEVEL: 'error',
  },
});
try {
  await whenHealthy(service.url);
  for (let round = 0; round <= Number(rounds); round += 1) {
    const begin = performance.now();
    if (round > 0) await attack({ url: service.url, token }, round);
    console.log(JSON.stringify({ round, ...(await figures(performance.now() - begin)) }));
    if (folder !== undefined && [WARM_ROUNDS, Number(rounds)].includes(round)) {
      await writeSnapshot(service.output(), join(folder, `round-${round}.heapsnapshot`));
    }
  }
} finally {
  await service.stop();
}

/** Megabytes after a collection of garbage: resident ones of each process, and what JavaScript holds in the server. */
async function figures(ms: number): Promise<Record<string, number>> {
  const memory = await memoryInUse(service.output());
  const megabytes = Object.entries(memory).map(([name, bytes]) => [
    name,
    Math.round(bytes / 1e5) / 10,
  ]);
  const resident = serviceProcesses(service.pid).map(({ pid, name }) => [
    `resident ${name}`,
    Math.round(residentMegabytes(pid)),
  ]);
  return { seconds: Math.round(ms / 1_000), ...Object.fromEntries([...resident, ...megabytes]) };
}
