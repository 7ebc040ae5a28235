/**
 * Runs for later (`after_seconds`) outlive the server: one that is due while it is down, and that which has
 * still to wait when it is back. Takes seconds because the service and its engine are real processes; before every push
 * `engine/held-back` shows that it is a durable timer, and `service/held-back` that it fires.
 * @module-tag release
 */
import { expect, test } from 'vitest';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, type RunResponse } from '../fixtures/service-client.ts';
import { serviceAgents } from '../fixtures/shared-service.ts';
import { limitOf, playRounds, requireInterrupted } from './rounds.ts';
import { setStage } from './stage.ts';

const stage = setStage({
  startService: (options) => startDurableService({ agents: serviceAgents, ...options }),
});

/** No start takes less than the first, nor more than the last. */
const DELAYS_S = [0.5, 30] as const;

async function play(): Promise<number> {
  const createHeld = (after_seconds: number): Promise<RunResponse> =>
    createRun(stage.url, { agent_id: 'append_py', input: { label: 'held' }, after_seconds });
  const [short, long] = DELAYS_S;
  const waiting = await createHeld(long);
  // The last one before the kill, so that it is not due by then.
  const held = [await createHeld(short), waiting];
  await stage.service.kill();
  const killedAt = Date.now();
  await whenHealthy((await stage.start()).url);
  const backAt = Date.now();
  const ends = await Promise.all(held.map(({ run_id: id }) => awaitRun(stage.url, id)));
  const output = { done: ['held'] };
  expect(ends).toMatchObject(DELAYS_S.map(() => ({ status: 'completed', output })));
  const times = ends.map(({ created_at: start, updated_at: end }) => ({
    start: Date.parse(String(start)),
    end: Date.parse(String(end)),
  }));
  times.forEach(({ start, end }, index) => {
    expect(end - start).toBeGreaterThanOrEqual((DELAYS_S[index] ?? 0) * 1_000);
  });
  const [ofShort] = times;
  const isInTime = ofShort !== undefined && killedAt - ofShort.start < short * 1_000;
  requireInterrupted(isInTime, 'the first run was due before the kill');
  return Math.max(0, (ofShort?.end ?? 0) - backAt);
}

test(
  'a run for later begins at its moment, or when the server is back',
  async () => {
    const played = playRounds('runs for later, server killed', play, { count: 1 });
    await expect(played).resolves.toBeUndefined();
  },
  limitOf(1),
);
