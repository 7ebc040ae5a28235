import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { MANY_THREADS } from './many-threads.ts';
import { add, count, ms } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

/** Searches among 50,000 threads, in a data folder that `makeManyThreads` made. */
export async function measureThreadSearch(options: {
  agents: string;
  dataDir: string;
}): Promise<void> {
  const service = await startService({ ...options, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  const client = new BenchClient(service.url);
  try {
    await untilHealthy(service);
    for (const limit of [10, 100]) {
      await measure(client, `all, limit ${limit}`, { limit });
      await measure(client, `by status, limit ${limit}`, { limit, status: 'interrupted' });
      await measure(client, `by metadata (1 of 100), limit ${limit}`, {
        limit,
        metadata: { team: '7' },
      });
    }
  } finally {
    client.close();
    await service.stop();
  }
}

async function measure(
  client: BenchClient,
  what: string,
  body: Record<string, unknown>,
): Promise<void> {
  const times: number[] = [];
  for (let index = 0; index < count(200); index++) {
    const begin = performance.now();
    await client.send('POST', '/threads/search', body);
    times.push(performance.now() - begin);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  add(
    `search of ${MANY_THREADS.toLocaleString('en')} threads: ${what}`,
    `p50 ${ms(at(0.5))}, p99 ${ms(at(0.99))}`,
    '20 ms p50',
  );
}
