import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { percentiles } from './measure.ts';
import { add, count, ms } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

const RUNS = 1_000;

/** What a thread with a long past costs: its last runs against its first, and the first read after a restart. */
export async function measureLongThread(agents: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'service-bench-'));
  const environment = { SERVICE_LOG_LEVEL: 'warn' };
  const id = randomUUID();
  const runs = count(RUNS, 100);
  try {
    const service = await startService({ agents, dataDir, environment });
    const client = new BenchClient(service.url);
    await untilHealthy(service);
    await client.send('POST', '/threads', { thread_id: id });
    const times: number[] = [];
    const body = { agent_id: 'noop_js', input: { count: 0 }, stream_mode: ['values'] };
    for (let index = 0; index < runs + 50; index++) {
      const begin = performance.now();
      await client.send('POST', `/threads/${id}/runs?wait=60s`, body);
      // The first ones warm the guest.
      if (index >= 50) times.push(performance.now() - begin);
    }
    const part = Math.min(100, runs / 2);
    const first = percentiles(times.slice(0, part)).p50;
    const last = percentiles(times.slice(-part)).p50;
    const ratio = `${ms(first)} and ${ms(last)}, ratio ${(last / first).toFixed(2)}`;
    add(`${runs} runs on one thread: p50 of first and last ${part}`, ratio, 'ratio 1.1');
    client.close();
    await service.stop();

    const again = await startService({ agents, dataDir, environment });
    const reader = new BenchClient(again.url);
    try {
      const begin = performance.now();
      await reader.send('GET', `/threads/${id}/state`);
      add(`cold read of a thread of ${runs} runs`, ms(performance.now() - begin), '1000 ms');
    } finally {
      reader.close();
      await again.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
