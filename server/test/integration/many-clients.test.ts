/**
 * Many clients of one service: no error, and every reader has everything. The same with hundreds of them, and what that
 * costs, is in `load.test.ts`. Takes seconds because service, engine and guests are real processes.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { startDurableService, whenHealthy } from '../fixtures/durable-service.ts';
import {
  expectEveryEvent,
  expectNobodyHeldUp,
  expectNothingMissed,
  LIMIT_MS,
  workThreads,
} from '../fixtures/many-clients.ts';
import { send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const READERS = 20;
const STUCK = 3;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startDurableService();
  await whenHealthy(service.url);
});
afterAll(() => service.stop());

it('threads that are used and deleted at once leave nothing to be found, and no note of a run', async () => {
  const threads = await workThreads(service.url, { threads: 6, atOnce: 3 });
  const responses = await Promise.all(threads.map((id) => call(`${service.url}/threads/${id}`)));
  expect(responses.map(({ status }) => status)).toEqual(threads.map(() => 404));
  await waitUntil('a search that finds none of them', LIMIT_MS, async () => {
    const found = await send<unknown[]>(service.url, 'POST', '/threads/search', { ids: threads });
    return found.length === 0;
  });
  const notes = (): string[] => readdirSync(join(service.dataDir, 'active-runs'));
  await waitUntil('no note of a run', LIMIT_MS, () => notes().length === 0);
});

it(
  `${READERS} readers of one run all get every event up to the last, in order`,
  () => expect(expectEveryEvent(service.url, READERS)).resolves.toBeUndefined(),
  LIMIT_MS,
);

it(
  'readers that never read do not hold the run up, and the server does not keep for them what they do not take',
  () => expect(expectNobodyHeldUp(service.url, STUCK)).resolves.toBeUndefined(),
  LIMIT_MS,
);

it(
  'a reader that is cut off at random bytes misses nothing and gets nothing twice',
  () =>
    expect(
      expectNothingMissed(service.url, { cuts: 40, steps: 60, longestPieceBytes: 400 }),
    ).resolves.toBeUndefined(),
  LIMIT_MS,
);
