import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { makeManyThreads } from './many-threads.ts';
import { oneAtATime } from './measure.ts';
import { add, count, ms, progress } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

const FEW = 100;
const MANY = 100_000;

type Figures = Record<keyof typeof rows, number>;

const rows = {
  start: 'start to healthy',
  search: 'search of 10, p50',
  firstRead: 'first read of a thread after the start',
  run: 'run on an existing thread, p50',
  stateless: 'stateless run, p50',
} as const;

/** What the threads that a service has stored cost it: the same with 100 and with 100,000 of them. */
export async function measureStoredThreads(agents: string): Promise<void> {
  const few = await measureWith(FEW, agents);
  const many = await measureWith(MANY, agents);
  for (const [key, what] of Object.entries(rows)) {
    const name = key as keyof Figures; // the keys of `rows`
    const [one, other] = [few[name], many[name]];
    add(
      `${FEW} and ${MANY.toLocaleString('en')} threads stored: ${what}`,
      `${ms(one)} and ${ms(other)}, ratio ${(other / one).toFixed(2)}`,
      'the same',
    );
  }
}

async function measureWith(threads: number, agents: string): Promise<Figures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-stored-'));
  try {
    progress(`storing ${threads.toLocaleString('en')} threads`);
    const made = await makeManyThreads({ agents, dataDir, threads });
    // The database's first start after it has been filled orders it.
    await (await startService({ agents, dataDir })).stop();
    const begin = performance.now();
    const environment = { SERVICE_LOG_LEVEL: 'warn' };
    const service = await startService({ agents, dataDir, environment });
    const client = new BenchClient(service.url);
    try {
      await untilHealthy(service);
      const start = performance.now() - begin;
      progress('reading and running');
      const read = await oneAtATime(1, () => client.send('GET', `/threads/${made[0]}/state`));
      const search = (): Promise<string> => client.send('POST', '/threads/search', { limit: 10 });
      await oneAtATime(20, search);
      const body = { agent_id: 'noop_js', input: { count: 0 } };
      const stateless = (): Promise<string> => client.send('POST', '/runs/wait', body);
      await oneAtATime(100, stateless);
      const id = randomUUID();
      await client.send('POST', '/threads', { thread_id: id });
      const run = (): Promise<string> => client.send('POST', `/threads/${id}/runs?wait=60s`, body);
      return {
        start,
        firstRead: read.max,
        search: (await oneAtATime(count(200), search)).p50,
        run: (await oneAtATime(count(200), run)).p50,
        stateless: (await oneAtATime(count(200), stateless)).p50,
      };
    } finally {
      client.close();
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
