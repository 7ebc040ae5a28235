/** @module-tag nightly */
/**
 * The random sequences of the suite `service`, on threads that change executions after every few events, while servers
 * and guests are killed. Takes minutes because of the restarts.
 */
import { expect, test } from 'vitest';
import { startRestlessService, whenHealthy } from '../fixtures/durable-service.ts';
import { playThreads } from '../fixtures/play-threads.ts';
import { serviceAgents } from '../fixtures/shared-service.ts';
import { limitOf, rounds } from './rounds.ts';
import { setStage } from './stage.ts';

/** A thread changes executions after a run or two. */
const MARKS = { idleEvents: 30, activeEvents: 60 };

const stage = setStage({
  startService: (options) => startRestlessService(MARKS, { agents: serviceAgents, ...options }),
});

async function restart(): Promise<void> {
  await stage.service.kill();
  await whenHealthy((await stage.start()).url);
}

/** Each is a dozen requests, one or two of them restarts. */
const SEQUENCES_OF_A_ROUND = 3;
/** A sequence takes up to 20 s on a loaded machine. Half of this must be enough for all of them. */
const LIMIT_MS = SEQUENCES_OF_A_ROUND * limitOf();

test('a thread is as in the model whatever ends in between', { timeout: LIMIT_MS }, async () => {
  const failed = await playThreads({
    url: () => stage.url,
    restart,
    sequences: SEQUENCES_OF_A_ROUND * rounds,
    seed: rounds > 3 ? Date.now() % 1_000_000_000 : 1,
    atOnce: 1,
    limitMs: LIMIT_MS / 2,
  });
  expect(failed).toEqual([]);
});
