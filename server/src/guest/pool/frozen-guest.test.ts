import { expect, it } from 'vitest';

import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import type { GuestPool } from './guest-pool.ts';
import { guestLimits } from '../limits.ts';
import type { InvocationEnd } from '../port.ts';

/** A run, once it has begun. */
async function begin(
  pool: GuestPool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<{ end: Promise<InvocationEnd> }> {
  const { invocation } = testInvocation(input);
  const begun = new Promise<void>((resolve) => (invocation.onChunk = () => resolve()));
  const end = pool.invoke(invocation, signal);
  await begun;
  return { end };
}

it('ends a guest that responds no more, and its other runs as crash', async () => {
  const limits = { ...guestLimits, cancelGraceMs: 200, controlCallMs: 200, stopGraceMs: 100 };
  const pool = await startTestPool({ limits });
  try {
    const [pid = 0] = pool.pids();
    const stop = new AbortController();
    const neighbour = await begin(pool, { do: 'hang' }, new AbortController().signal);
    const frozen = await begin(pool, { do: 'freeze' }, stop.signal);
    stop.abort();
    expect(await frozen.end).toEqual({ kind: 'cancelled' });
    expect(await neighbour.end).toMatchObject({ kind: 'crash' });
    expect(pool.pids()).not.toContain(pid);
  } finally {
    await pool.close();
  }
});
