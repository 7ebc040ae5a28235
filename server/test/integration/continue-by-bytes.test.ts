/** Spec: Limits, workflow history total: a history that has become large, not long. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { readCounters, readValues, runToEnd } from '../fixtures/limits-service.ts';
import { createThread } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const never = 1_000_000;

let folder = '';
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'by-bytes-'));
  const marks = { idleEvents: never, activeEvents: never, activeUpdates: never };
  service = await startRestlessService({ ...marks, idleBytes: 8_000, activeBytes: 24_000 });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function executions(trigger: string): Promise<number> {
  const counted = await readCounters(service.url, 'service_can_total');
  return counted[`trigger="${trigger}"`] ?? 0;
}

it.each(['py', 'ts'])(
  'a run goes on in a next execution by its bytes alone (%s)',
  async (language) => {
    const before = await executions('active');
    const input = { ledger: join(folder, language), total: 30, pause_ms: 10 };
    const config = { recursion_limit: 1_000 };
    const body = { agent_id: `steps_${language}`, durability: 'sync', config, input };
    const run = await runToEnd(service.url, body);
    const done = Array.from({ length: 30 }, (_, step) => step);
    expect(run).toMatchObject({ status: 'completed', last_failure: 'CAN', output: { done } });
    expect(await executions('active')).toBeGreaterThan(before);
  },
);

it('a thread goes on in a next execution between runs by its bytes alone', async () => {
  const before = await executions('idle');
  const threadId = await createThread(service.url);
  const labels = Array.from({ length: 12 }, (_, index) => `run ${index}`);
  for (const label of labels) {
    const body = { agent_id: 'append_ts', input: { ledger: join(folder, 'idle'), label } };
    expect(await runToEnd(service.url, body, threadId)).toMatchObject({ status: 'completed' });
  }
  expect(await readValues(service.url, threadId)).toMatchObject({ done: labels });
  expect(await executions('idle')).toBeGreaterThan(before);
});
