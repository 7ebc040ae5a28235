/** Takes seconds because a real guest crashes. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startDurableService } from '../fixtures/durable-service.ts';
import { readLedger } from '../fixtures/ledger.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { setStage } from './stage.ts';

const stage = setStage({
  startService: (options) =>
    startDurableService({
      ...options,
      environment: { SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '0' },
    }),
});

describe.each([
  ['py', {}],
  ['ts', { tags: 'release' }],
] as const)('with run_restart.max_attempts 0, in %s', (language, options) => {
  test('a crash ends the run at once', options, async () => {
    const ledger = join(stage.folder, language);
    const run = await createRun(stage.url, { agent_id: `crash_${language}`, input: { ledger } });
    const final = await awaitRun(stage.url, run.run_id);
    expect(final).toMatchObject({ status: 'error', error: { code: 'restarts_exhausted' } });
    expect(final).not.toHaveProperty('attempt');
    expect(readLedger(ledger).map(({ step }) => step)).toEqual(['first', 'crash']);
  });
});
