import { randomUUID } from 'node:crypto';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { oneAtATime, percentiles } from './measure.ts';
import { add, count, ms } from './report.ts';
import { serviceProcesses, residentMegabytes } from './processes.ts';
import { untilHealthy } from './until-healthy.ts';

const KILOBYTE = 1_000;
const SIZES = [
  { name: '1 kB', bytes: KILOBYTE },
  { name: '100 kB', bytes: 100 * KILOBYTE },
  // With its metadata and the state's other channels it is a checkpoint of 1 MiB.
  { name: '1 MiB', bytes: 1_024 * 1_024 - 8 * KILOBYTE },
];
/** A run of so many durable saves; its own cost is that of a run of one. */
const STEPS = 11;

/** What a durable save costs, with checkpoints in the engine and outside, and what a large state does to a run. */
export async function measureSaves(agents: string): Promise<void> {
  for (const storage of ['inline', 'directory'] as const) {
    const service = await startService({
      agents,
      environment: {
        SERVICE_LOG_LEVEL: 'warn',
        ...(storage === 'directory' && { SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: storage }),
      },
    });
    const client = new BenchClient(service.url);
    try {
      await untilHealthy(service);
      for (const { name, bytes } of SIZES) {
        add(`durable save of ${name}, ${storage}`, ms(await saveMs(client, bytes)));
      }
      if (storage === 'directory') await measureLargeState(service, client);
    } finally {
      client.close();
      await service.stop();
    }
  }
}

/** The median of what each further step adds to a run. */
async function saveMs(client: BenchClient, size: number): Promise<number> {
  const run = async (steps: number): Promise<number> => {
    const body = { agent_id: 'writer_py', durability: 'sync', stream_mode: ['custom'] };
    const begin = performance.now();
    const path = '/runs/wait';
    const text = await client.send('POST', path, { ...body, input: { size, steps, text: '' } });
    if (!text.includes('"completed"')) throw new Error(text.slice(0, 400));
    return performance.now() - begin;
  };
  await run(2);
  const differences: number[] = [];
  for (let index = 0; index < count(20, 4); index++) {
    differences.push(((await run(STEPS)) - (await run(1))) / (STEPS - 1));
  }
  return percentiles(differences).p50;
}

/** A small step on a thread that carries 5 MB. */
async function measureLargeState(service: ServiceProcess, client: BenchClient): Promise<void> {
  const id = randomUUID();
  const runs = `/threads/${id}/runs?wait=120s`;
  await client.send('POST', '/threads', { thread_id: id });
  const ballast = 'large state '.repeat(5_000_000 / 12);
  const body = { agent_id: 'writer_py', stream_mode: ['custom'] };
  await client.send('POST', runs, { ...body, input: { ballast, size: 10, steps: 1 } });
  const { p50, p95 } = await oneAtATime(count(20, 5), async () => {
    const text = await client.send('POST', runs, { ...body, input: { size: 10, steps: 1 } });
    if (!text.includes('"completed"')) throw new Error(text.slice(0, 400));
  });
  add('run over a state of 5 MB, directory', `p50 ${ms(p50)}, p95 ${ms(p95)}`);
  const read = await oneAtATime(count(20, 5), () => client.send('GET', `/threads/${id}/state`));
  add('state of 5 MB read over HTTP, directory', `p50 ${ms(read.p50)}, p95 ${ms(read.p95)}`);
  const memory = serviceProcesses(service.pid).map(({ pid, name }) => {
    return `${name} ${residentMegabytes(pid).toFixed(0)} MB`;
  });
  add('  memory after it', memory.join(', '));
}
