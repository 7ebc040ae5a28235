import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { processorMs } from './processes.ts';
import { add, count, ms, progress } from './report.ts';
import { untilHealthy } from './until-healthy.ts';

/** Durable steps. One is ten events, and an execution ended at 8,000 of them when this was written. */
const STEPS = 780;
/** More than are awaited: the run must still be at work when the service is killed. */
const STEPS_LEFT = 200;

/**
 * What the longest history costs that a thread can have: that of an active run just before it continues in its next
 * execution. The service is killed and started again, and the thread answers once its history has been replayed.
 */
export async function measureReplay(agents: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-replay-'));
  const start = (): Promise<ServiceProcess> =>
    startService({ agents, dataDir, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  try {
    const service = await start();
    await untilHealthy(service);
    const client = new BenchClient(service.url);
    await client.send('POST', '/threads', { thread_id: 'short' });
    client.close();
    const steps = count(STEPS);
    progress(`a run of ${steps} durable steps`);
    const threadId = await untilSteps(service, steps);
    await service.kill();
    const events = longestHistory(join(dataDir, 'engine.db'));
    const long = await firstRead(start, threadId);
    const short = await firstRead(start, 'short');
    const what = `replay of a thread of ${events.toLocaleString('en')} events (${steps} durable steps)`;
    const reads = `first read ${ms(long.wall)}, of an empty thread ${ms(short.wall)}`;
    add(what, `${ms(long.wall - short.wall)} (${reads})`, '1000 ms');
    add('  processor time of the server more', ms(long.processor - short.processor));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Begins a run and returns its thread when it has made this many steps. */
async function untilSteps({ url }: ServiceProcess, steps: number): Promise<string> {
  const response = await fetch(`${url}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      agent_id: 'writer_py',
      durability: 'sync',
      stream_mode: ['updates'],
      config: { recursion_limit: STEPS * 2 },
      input: { size: 50, steps: steps + STEPS_LEFT, text: '' },
    }),
  });
  let text = '';
  let seen = 0;
  for await (const chunk of response.body ?? []) {
    const part = Buffer.from(chunk).toString();
    seen += part.match(/^event: updates/gm)?.length ?? 0;
    if (text.length < 1_000) text += part;
    const id = /"thread_id":"([^"]+)"/.exec(text)?.[1];
    if (seen >= steps && id !== undefined) return id;
  }
  throw new Error(`The run ended after ${seen} steps: ${text}`);
}

function longestHistory(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    const row = database.prepare('SELECT max(node_id) AS events FROM history_node').get();
    return (row as { events: number }).events; // as selected
  } finally {
    database.close();
  }
}

interface FirstRead {
  /** From the moment in which the address is printed, as the replay begins before the first request. */
  wall: number;
  /** Of the server since it was started. */
  processor: number;
}

async function firstRead(
  start: () => Promise<ServiceProcess>,
  threadId: string,
): Promise<FirstRead> {
  const service = await start();
  const client = new BenchClient(service.url);
  try {
    const begin = performance.now();
    await client.send('GET', `/threads/${threadId}`);
    return { wall: performance.now() - begin, processor: processorMs(service.pid) };
  } finally {
    client.close();
    await service.stop();
  }
}
