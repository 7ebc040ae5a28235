import { join } from 'node:path';
import { startService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { BenchClient } from './http-client.ts';
import { copyThreads } from './stored-rows.ts';
import { untilHealthy } from './until-healthy.ts';

/** As many as a team makes in a year. */
export const MANY_THREADS = 50_000;
/** Made by requests; the others are copies of their rows. */
const MADE = 500;
/** Threads of a kind in the metadata. */
const TEAMS = 100;

/**
 * Leaves a data folder with this many threads and returns the ids of those that were made by requests. Making 50,000
 * would take half an hour: so 500 at the most are made, the service is stopped, and their rows are copied in its
 * database, with their own ids, times and statuses.
 */
export async function makeManyThreads(options: {
  agents: string;
  dataDir: string;
  threads?: number;
}): Promise<string[]> {
  const { threads = MANY_THREADS } = options;
  const service = await startService({ ...options, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  let made: string[];
  try {
    await untilHealthy(service);
    made = await makeThreads(service.url, Math.min(MADE, threads));
  } finally {
    await service.stop();
  }
  if (made.length < threads) copyThreads(join(options.dataDir, 'engine.db'), threads);
  return made;
}

async function makeThreads(url: string, threads: number): Promise<string[]> {
  const client = new BenchClient(url);
  const made: string[] = [];
  try {
    for (let index = 0; index < threads; index++) {
      const metadata = { team: index % TEAMS, kind: index % 2 === 0 ? 'even' : 'odd' };
      const text = await client.send('POST', '/threads', { metadata });
      made.push((JSON.parse(text) as { thread_id: string }).thread_id); // as the contract defines
    }
    await waitUntil('all threads to be found', 10_000, async () => {
      const body = { limit: 1, metadata: { team: TEAMS - 1 }, offset: threads / TEAMS - 1 };
      return (await client.send('POST', '/threads/search', body)) !== '[]';
    });
    return made;
  } finally {
    client.close();
  }
}
