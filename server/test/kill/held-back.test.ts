/**
 * Runs for later (`after_seconds`) outlive the server: one that is due while it is down, and that which has
 * still to wait when it is back. Takes seconds because the service and its engine are real processes; before every push
 * `engine/held-back` shows that it is a durable timer, and `service/held-back` that it fires.
 * @module-tag release
 */
import { expect, test } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { serviceAgents } from '../fixtures/shared-service.ts';
import { limitOf } from './rounds.ts';
import { setStage } from './stage.ts';

const stage = setStage({
  startService: (options) => startDurableService({ agents: serviceAgents, ...options }),
});

test(
  'a run for later begins at its moment, or when the server is back',
  async () => {
    // No start takes less than the first, nor more than the last.
    const delays = [0.5, 30];
    const held = await Promise.all(
      delays.map((after_seconds) =>
        createRun(stage.url, { agent_id: 'append_py', input: { label: 'held' }, after_seconds }),
      ),
    );
    await stage.service.kill();
    await whenHealthy((await stage.start()).url);
    const ends = await Promise.all(held.map(({ run_id: id }) => awaitRun(stage.url, id)));
    const output = { done: ['held'] };
    expect(ends).toMatchObject(delays.map(() => ({ status: 'completed', output })));
    ends.forEach(({ created_at: start, updated_at: end }, index) => {
      const tookMs = Date.parse(String(end)) - Date.parse(String(start));
      expect(tookMs).toBeGreaterThanOrEqual((delays[index] ?? 0) * 1_000);
    });
  },
  limitOf(),
);
