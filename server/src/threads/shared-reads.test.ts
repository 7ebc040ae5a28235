import { expect, it } from 'vitest';
import { deferred } from '../../test/fixtures/deferred.ts';
import { createSharedReads } from './shared-reads.ts';

it('reads twice for a thousand who ask at once: for the first, and for all who came meanwhile', async () => {
  const share = createSharedReads<number>();
  const gates = [deferred(), deferred()];
  let reads = 0;
  const read = async (): Promise<number> => {
    reads += 1;
    const mine = reads;
    await gates[mine - 1]?.promise;
    return mine;
  };
  const results = Array.from({ length: 1_000 }, () => share('run', read));
  const other = share('another run', async () => 0);
  expect(await other).toBe(0);
  for (const gate of gates) gate.resolve();
  const [first, ...rest] = await Promise.all(results);
  expect([first, new Set(rest), reads]).toEqual([1, new Set([2]), 2]);
  expect(await share('run', async () => 7)).toBe(7);
});

it('a read that fails fails for callers that shared it, and for no other', async () => {
  const share = createSharedReads<string>();
  const failing = share('run', () => Promise.reject(new Error('away')));
  const later = share('run', async () => 'there');
  await expect(failing).rejects.toThrow('away');
  expect(await later).toBe('there');
});
