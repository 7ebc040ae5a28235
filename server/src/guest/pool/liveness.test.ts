import process from 'node:process';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import type { GuestPool } from './guest-pool.ts';
import { guestLimits } from '../limits.ts';
import { becomesBlocked } from './liveness.ts';
import type { InvocationEnd } from '../port.ts';

const never = new AbortController().signal;
const quick = { ...guestLimits, livenessEveryMs: 50, blockedMs: 150, stopGraceMs: 200 };
const pools: GuestPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

async function startPool(limits: typeof guestLimits): Promise<GuestPool> {
  const pool = await startTestPool({ limits });
  pools.push(pool);
  return pool;
}

function run(pool: GuestPool, input: Record<string, unknown>): Promise<InvocationEnd> {
  return pool.invoke(testInvocation(input).invocation, never);
}

describe('a guest that an agent blocks', () => {
  it('takes no new runs: they get a fresh one', async () => {
    const pool = await startPool(quick);
    const [pid] = pool.pids();
    void run(pool, { do: 'freeze' });
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(2), 15_000);
    expect(pool.pids()).toContain(pid);
    expect(await run(pool, { do: 'echo' })).toMatchObject({ kind: 'completed' });
  });

  it('is kept when too many are blocked already', async () => {
    let found = 0;
    const pool = await startPool({
      ...quick,
      // Read whenever a guest was found to be blocked.
      get blockedAtOnce() {
        found += 1;
        return 1;
      },
    });
    const [first] = pool.pids();
    void run(pool, { do: 'freeze' });
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(2), 15_000);
    void run(pool, { do: 'freeze' });
    // The first one, and the second one twice: a guest that is replaced is not looked at again.
    await vi.waitFor(() => expect(found).toBeGreaterThanOrEqual(3), 15_000);
    expect(pool.pids()).toHaveLength(2);
    process.kill(first ?? 0, 'SIGKILL');
    await vi.waitFor(() => {
      expect(pool.pids()).toHaveLength(2);
      expect(pool.pids()).not.toContain(first);
    }, 15_000);
  });

  it('that only works long is left alone', async () => {
    const asked = vi.fn<(signal: AbortSignal) => Promise<void>>(async () => undefined);
    const guest = {
      retired: new Promise<void>(() => undefined),
      process: { hasExited: false, agents: { health: asked } },
    };
    const limits = { ...guestLimits, livenessEveryMs: 1, blockedMs: 5 };
    const blocked = vi.fn<(is: boolean) => void>();
    const watch = becomesBlocked(guest, limits).then(blocked);
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(20), 15_000);
    expect(blocked).not.toHaveBeenCalled();

    // Answering late once is not enough: it may have been the host that stood still.
    const late = (signal: AbortSignal): Promise<void> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    asked.mockImplementationOnce(late);
    const before = asked.mock.calls.length;
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(before + 20), 15_000);
    expect(blocked).not.toHaveBeenCalled();

    asked.mockImplementation(late);
    await watch;
    expect(blocked).toHaveBeenCalledExactlyOnceWith(true);
  });
});
