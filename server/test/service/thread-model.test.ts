/** Random sequences of requests on threads of a service, beside a small model of what the API promises of a thread. */
import { expect, it } from 'vitest';
import { playThreads } from '../fixtures/play-threads.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
const LIMIT_MS = 60 * 60 * 1000;

const play = (sequences: number, seed: number): Promise<string[]> =>
  playThreads({ url: () => url, sequences, seed, atOnce: 8, limitMs: LIMIT_MS / 2 });

it('a thread is as in the model after 16 sequences', async () => {
  expect(await play(16, 1)).toEqual([]);
});

it('and after 150', { tags: 'release', timeout: LIMIT_MS }, async () => {
  expect(await play(150, 1_000)).toEqual([]);
});

it('and after 2,000', { tags: 'nightly', timeout: LIMIT_MS }, async () => {
  expect(await play(2_000, 1_000)).toEqual([]);
});

it('and after 10,000 that were never played', { tags: 'nightly', timeout: LIMIT_MS }, async () => {
  expect(await play(10_000, Date.now() % 1_000_000_000)).toEqual([]);
});
