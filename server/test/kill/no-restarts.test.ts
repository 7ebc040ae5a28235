import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDurableService } from '../fixtures/durable-service.ts';
import { readLedger } from '../fixtures/ledger.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kill-no-restarts-'));
  service = await startDurableService({
    environment: { SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '0' },
  });
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

test.each(['py', 'ts'])(
  'with run_restart.max_attempts 0 a crash ends the run at once (%s)',
  async (language) => {
    const ledger = join(folder, language);
    const run = await createRun(service.url, { agent_id: `crash_${language}`, input: { ledger } });
    const final = await awaitRun(service.url, run.run_id);
    expect(final).toMatchObject({ status: 'error', error: { code: 'restarts_exhausted' } });
    expect(final).not.toHaveProperty('attempt');
    expect(readLedger(ledger).map(({ step }) => step)).toEqual(['first', 'crash']);
  },
);
