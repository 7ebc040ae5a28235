import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import type { GuestPool } from './guest-pool.ts';
import { guestLimits } from '../limits.ts';
import type { Invocation, InvocationEnd } from '../port.ts';
import { becomesStuck, type SilentGuest } from './stuck.ts';

const never = new AbortController().signal;
const pools: GuestPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool of one guest, and a run on it that has begun. */
async function startHanging(changes: Partial<Invocation> = {}) {
  const pool = await startTestPool({ limits: { ...guestLimits, stuckAfterMs: 600 } });
  pools.push(pool);
  const warm = pool.pids();
  const end = await hang(pool, changes);
  const [pid = 0] = changes.isIsolated ? pool.pids().filter((one) => !warm.includes(one)) : warm;
  return { pool, end: end.end, pid };
}

async function hang(
  pool: GuestPool,
  changes: Partial<Invocation> = {},
): Promise<{ end: Promise<InvocationEnd> }> {
  const { invocation } = testInvocation({ do: 'hang' }, changes);
  const begun = new Promise<void>((resolve) => (invocation.onChunk = () => resolve()));
  const end = pool.invoke(invocation, never);
  await begun;
  return { end };
}

const stuckEnd = {
  kind: 'infra',
  message:
    'The javascript guest gave no sign of life for 0.6 s (guest.stuck_after) and was killed.',
  wasStuck: true,
};

describe('a guest whose process is stopped', () => {
  it('is killed, and all its runs end as infra, for another guest', async () => {
    const { pool, end, pid } = await startHanging();
    const neighbour = await hang(pool);
    process.kill(pid, 'SIGSTOP');
    expect(await Promise.all([end, neighbour.end])).toEqual([stuckEnd, stuckEnd]);
    expect(pool.stuck).toEqual(new Map([['javascript', 1]]));
    const next = pool.invoke(testInvocation({ do: 'echo' }).invocation, never);
    expect(await next).toMatchObject({ kind: 'completed' });
    expect(pool.pids()).not.toContain(pid);
  });

  it('is killed also when it takes no new runs any more', async () => {
    const { pool, end, pid } = await startHanging();
    pool.reload();
    process.kill(pid, 'SIGSTOP');
    expect(await end).toEqual(stuckEnd);
  });

  it('is killed also when it has one run alone', async () => {
    const { end, pid } = await startHanging({ isIsolated: true });
    process.kill(pid, 'SIGSTOP');
    expect(await end).toEqual(stuckEnd);
  });
});

describe('a guest whose event loop does not respond', () => {
  const limits = { ...guestLimits, stuckAfterMs: 90, hostStoodStillMs: 20 };
  const silent = (): Promise<never> => new Promise(() => undefined);

  /** How often it was asked for a sign of life, and whether it is stuck. */
  function watch(changes: Partial<SilentGuest>) {
    const signOfLife = vi.fn<() => Promise<void>>(silent);
    const guest = { hasExited: false, isHeld: false, agents: { health: silent }, signOfLife };
    const watched = Object.assign(guest, changes);
    const found = vi.fn<(isStuck: boolean) => void>();
    const over = becomesStuck(watched, limits).then(found);
    return { guest, signOfLife, found, over };
  }

  it('is left alone while it gives a sign of life, until it gives none', async () => {
    const { signOfLife, found, over } = watch({});
    signOfLife.mockImplementation(async () => undefined);
    await vi.waitFor(() => expect(signOfLife.mock.calls.length).toBeGreaterThan(5), 15_000);
    expect(found).not.toHaveBeenCalled();
    signOfLife.mockImplementation(silent);
    await over;
    expect(found).toHaveBeenCalledExactlyOnceWith(true);
  });

  it('has the whole time from its last sign on, however late that came', async () => {
    const { signOfLife, found, over } = watch({});
    let signs = 0;
    let last = 0;
    // One sign responds to all requests until then, as that of a guest does.
    let responding: Promise<void> | undefined;
    const respond = async (): Promise<void> => {
      await delay(60);
      responding = undefined;
      signs += 1;
      last = performance.now();
    };
    signOfLife.mockImplementation(() => (signs < 3 ? (responding ??= respond()) : silent()));
    await over;
    expect(signs).toBeGreaterThanOrEqual(3);
    expect(performance.now() - last).toBeGreaterThanOrEqual(limits.stuckAfterMs);
    expect(found).toHaveBeenCalledExactlyOnceWith(true);
  });

  it('is left alone when some of what it is asked is lost', async () => {
    const { guest, signOfLife, found, over } = watch({});
    signOfLife.mockImplementation(async () => {
      if (signOfLife.mock.calls.length % 3 !== 0) await silent();
    });
    await vi.waitFor(() => expect(signOfLife.mock.calls.length).toBeGreaterThan(12), 15_000);
    expect(found).not.toHaveBeenCalled();
    guest.hasExited = true;
    await over;
    expect(found).toHaveBeenCalledExactlyOnceWith(false);
  });

  it('is left alone while a debugger may hold it', async () => {
    const { guest, signOfLife, found, over } = watch({ isHeld: true });
    await vi.waitFor(() => expect(signOfLife.mock.calls.length).toBeGreaterThan(3), 15_000);
    expect(found).not.toHaveBeenCalled();
    guest.isHeld = false;
    await over;
    expect(found).toHaveBeenCalledExactlyOnceWith(true);
  });

  it('gets its time anew whenever it was the host that stood still', async () => {
    const { guest, signOfLife, found, over } = watch({});
    const standStill = (times: number, then: () => void): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
      setTimeout(times > 1 ? () => standStill(times - 1, then) : then, 10);
    };
    let stood = 0;
    let standing: Promise<void> | undefined;
    const respondLate = async (): Promise<void> => {
      await new Promise<void>((resolve) => setTimeout(() => standStill(12, resolve), 1));
      standing = undefined;
      stood += 1;
    };
    signOfLife.mockImplementation(() => (standing ??= respondLate()));
    // Twelve times 10 ms without a response are longer than the 90 ms it has.
    await vi.waitFor(() => expect(stood).toBeGreaterThan(1), 15_000);
    expect(found).not.toHaveBeenCalled();
    guest.hasExited = true;
    await over;
    expect(found).toHaveBeenCalledExactlyOnceWith(false);
  });
});
