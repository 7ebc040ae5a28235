/**
 * Spec: Errors, CANPayloadBudgetExceeded. A thread that does not fit into its next execution stops, and stays readable.
 * A separate service, in which no thread fits.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { readLedger } from '../fixtures/ledger.ts';
import { readCounter } from '../fixtures/limits-service.ts';
import { readSse } from '../fixtures/read-sse.ts';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type HistoryResponse,
} from '../fixtures/service-client.ts';
import { releaseUnless } from '../fixtures/shared-service.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const code = 'CANPayloadBudgetExceeded';
const COUNTER = 'service_can_payload_budget_exceeded_total';

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payload-budget-'));
  service = await startRestlessService(
    { activeEvents: 60 },
    // Less than an empty thread takes.
    { environment: { SERVICE_ENGINE_CAN_PAYLOAD_BUDGET_BYTES: '1000' } },
  );
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

describe.each(['py', 'ts'])('%s', (language) => {
  test(
    'the run that is active ends with it, and those that wait',
    releaseUnless(language === 'ts'),
    async () => {
      const { url } = service;
      const stopped = await readCounter(url, COUNTER);
      const threadId = await createThread(url);
      const ledger = join(folder, randomUUID());
      const input = { ledger, total: 1_000, pause_ms: 10 };
      const config = { recursion_limit: 10_000 };
      const body = { agent_id: `steps_${language}`, durability: 'sync', config, input };
      const run = await createRun(url, body, threadId);
      const waiting = await createRun(url, { ...body, input: { ...input, total: 1 } }, threadId);
      const stream = readSse(`${url}/runs/${run.run_id}/stream`, { timeoutMs: 110_000 });
      const ends = await Promise.all([run, waiting].map((one) => awaitRun(url, one.run_id)));
      expect(ends).toMatchObject([
        { status: 'error', error: { code } },
        { status: 'error', error: { code } },
      ]);
      expect((await stream).events.slice(-2)).toMatchObject([
        { event: 'error', data: { code } },
        { event: 'done', data: { status: 'error' } },
      ]);

      expect(await readCounter(url, COUNTER)).toBe((stopped ?? 0) + 1);

      // The guest has released it: another run continues beside it, and nothing more is done for this one.
      const other = join(folder, randomUUID());
      const next = await createRun(url, { ...body, input: { ...input, ledger: other, total: 3 } });
      expect(await awaitRun(url, next.run_id)).toMatchObject({ status: 'completed' });
      const done = readLedger(ledger).length;
      expect(done).toBeLessThan(input.total);

      expect(await call(`${url}/threads/${threadId}/runs`, 'POST', body)).toMatchObject({
        status: 409,
        body: { code: 'thread_stopped' },
      });
      const thread = await send<{ status: string }>(url, 'GET', `/threads/${threadId}`);
      const state = await send<HistoryResponse>(url, 'GET', `/threads/${threadId}/state`);
      expect([thread.status, (state.values.done?.length ?? 0) > 0]).toEqual(['error', true]);
      expect(readLedger(ledger)).toHaveLength(done);
      await send(url, 'DELETE', `/threads/${threadId}`);
      expect((await call(`${url}/threads/${threadId}`)).status).toBe(404);
    },
  );
});
