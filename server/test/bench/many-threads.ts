import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { BenchClient } from './http-client.ts';
import { untilHealthy } from './until-healthy.ts';

/** As many as a team makes in a year. */
export const MANY_THREADS = 50_000;
/** Made by requests; the others are copies of their rows. */
const MADE = 500;
const STATUSES = ['idle', 'interrupted', 'error', 'busy'];

/**
 * Leaves a data folder with 50,000 threads. Lists and searches read the rows of the engine's visibility store and
 * nothing else, and making so many threads would take half an hour: so 500 are made by requests, the service is
 * stopped, and their rows are copied in its database, with their own ids, times and statuses.
 */
export async function makeManyThreads(options: { agents: string; dataDir: string }): Promise<void> {
  const service = await startService({ ...options, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  try {
    await untilHealthy(service);
    await makeThreads(service.url);
  } finally {
    await service.stop();
  }
  copyRows(join(options.dataDir, 'engine.db'));
}

async function makeThreads(url: string): Promise<void> {
  const client = new BenchClient(url);
  try {
    for (let index = 0; index < MADE; index++) {
      const metadata = { team: index % 100, kind: index % 2 === 0 ? 'even' : 'odd' };
      await client.send('POST', '/threads', { metadata });
    }
    await waitUntil('all threads to be found', 10_000, async () => {
      const body = { limit: 1, metadata: { team: 99 }, offset: MADE / 100 - 1 };
      return (await client.send('POST', '/threads/search', body)) !== '[]';
    });
  } finally {
    client.close();
  }
}

/** Copies rows until there are enough of them. Indexes and generated columns follow by themselves. */
function copyRows(file: string): void {
  const database = new Database(file);
  try {
    const columns = `namespace_id, _version, execution_time, workflow_type_name, status, memo, encoding,
      task_queue, root_workflow_id, root_run_id`;
    const status = database
      .prepare(
        `SELECT search_attributes AS json FROM executions_visibility WHERE search_attributes LIKE '%idle%'`,
      )
      .get() as { json: string } | undefined; // as selected
    const field = Object.entries(JSON.parse(status?.json ?? '{}') as Record<string, unknown>).find(
      ([, value]) => value === 'idle',
    )?.[0];
    if (field === undefined) throw new Error('no row of a thread');
    const copy = database.prepare(`
      INSERT INTO executions_visibility (${columns}, run_id, workflow_id, start_time, search_attributes)
      SELECT ${columns}, ?, ?, strftime('%Y-%m-%d %H:%M:%f+00:00', start_time, ?),
        json_set(search_attributes, '$.${field}', ?)
      FROM executions_visibility WHERE rowid = ?`);
    const rows = database
      .prepare(`SELECT rowid AS id FROM executions_visibility WHERE workflow_id LIKE 'thread-%'`)
      .all() as { id: number }[]; // as selected
    database.transaction(() => {
      for (let index = rows.length; index < MANY_THREADS; index++) {
        const source = rows[index % rows.length]?.id;
        const state = STATUSES[index % 50 < 47 ? 0 : (index % 50) - 46];
        copy.run(randomUUID(), `thread-${randomUUID()}`, `-${index} seconds`, state, source);
      }
    })();
  } finally {
    database.close();
  }
}
