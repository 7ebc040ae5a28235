/** A run for later (`after_seconds`) with a durable timer of the real engine that fires. */
import { expect, it } from 'vitest';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const DELAY_SECONDS = 0.5;

it('a run for later begins when its time has come', async () => {
  const later = { agent_id: 'append_py', input: { label: 'later' }, after_seconds: DELAY_SECONDS };
  const { run_id: id, created_at: created } = await createRun(url, later);
  const { status, output, updated_at: ended } = await awaitRun(url, id);
  expect({ status, output }).toMatchObject({ status: 'completed', output: { done: ['later'] } });
  const took = Date.parse(String(ended)) - Date.parse(String(created));
  expect(took).toBeGreaterThanOrEqual(DELAY_SECONDS * 1000);
});
