/** Random sequences of requests on threads of a service, beside a small model of what the API promises of a thread. */
import { expect, it } from 'vitest';
import { playThreads } from '../fixtures/play-threads.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const LIMIT_MS = 60 * 60 * 1000;
/** Two cores play one to four sequences a second, by what else they do; half of this must be enough for all of them. */
const NIGHT_LIMIT_MS = 4 * LIMIT_MS;

const play = (sequences: number, seed: number, testLimitMs = LIMIT_MS): Promise<string[]> =>
  playThreads({ url: () => url, sequences, seed, atOnce: 8, limitMs: testLimitMs / 2 });

it('a thread is as in the model after 16 sequences', async () => {
  expect(await play(16, 1)).toEqual([]);
});

it('and after 150', { tags: 'release', timeout: LIMIT_MS }, async () => {
  expect(await play(150, 1_000)).toEqual([]);
});

it('and after 2,000', { tags: 'nightly', timeout: NIGHT_LIMIT_MS }, async () => {
  expect(await play(2_000, 1_000, NIGHT_LIMIT_MS)).toEqual([]);
});

it(
  'and after 5,000 that were never played',
  { tags: 'nightly', timeout: NIGHT_LIMIT_MS },
  async () => {
    const seed = Date.now() % 1_000_000_000;
    expect(await play(5_000, seed, NIGHT_LIMIT_MS)).toEqual([]);
  },
);
