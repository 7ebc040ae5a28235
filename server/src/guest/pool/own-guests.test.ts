// What guests of threads share and when they end shows in their processes: every pool here has some.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { testInvocation, testUpdate } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import { compositeRunId, type ThreadId } from '../../model/ids.ts';
import type { GuestPool } from './guest-pool.ts';
import type { GuestProcess } from '../process/guest-process.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';
import { OwnGuests } from './own-guests.ts';
import type { InvocationEnd } from '../port.ts';

const SOON_MS = 15_000;
const never = new AbortController().signal;

const pools: GuestPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

async function startPool(limits: Partial<GuestLimits> = {}): Promise<GuestPool> {
  const pool = await startTestPool({
    isolation: 'thread',
    limits: { ...guestLimits, ...limits },
  });
  pools.push(pool);
  return pool;
}

function inThread(name: string) {
  const threadId = name as ThreadId; // a name is as good here
  return { threadId, config: { configurable: { thread_id: name } } };
}

/** Runs once in the thread, and returns in which process that was. */
async function pidOf(pool: GuestPool, thread: string): Promise<number> {
  const { invocation } = testInvocation({ do: 'echo' }, inThread(thread));
  const end = await pool.invoke(invocation, never);
  if (end.kind !== 'completed') throw new Error(JSON.stringify(end));
  return (JSON.parse(end.output) as { pid: number }).pid;
}

/** A run that continues until it is stopped. */
async function hang(
  pool: GuestPool,
  thread: string,
): Promise<{ end: Promise<InvocationEnd>; stop: () => void }> {
  const stop = new AbortController();
  const { invocation } = testInvocation({ do: 'hang' }, inThread(thread));
  const hangs = new Promise<void>((resolve) => {
    invocation.onChunk = () => resolve();
  });
  const end = pool.invoke(invocation, stop.signal);
  await hangs;
  return { end, stop: () => stop.abort() };
}

const gone = (pool: GuestPool, pid: number): Promise<void> =>
  vi.waitFor(() => expect(pool.pids()).not.toContain(pid), SOON_MS);

describe('the guest of a thread', () => {
  it('has all runs of its thread and none of another, and is marked as shared', async () => {
    const pool = await startPool();
    const warm = pool.pids();
    const [first, other] = [await pidOf(pool, 'a'), await pidOf(pool, 'b')];
    expect(new Set([...warm, first, other]).size).toBe(3);
    const { invocation } = testInvocation({ do: 'echo' }, inThread('a'));
    await pool.invoke({ ...invocation, isIsolated: true }, never);
    expect([await pidOf(pool, 'a'), await pidOf(pool, 'b')]).toEqual([first, other]);
    const runId = compositeRunId(invocation.threadId, invocation.runUuid);
    expect(pool.runSandboxes.read(runId)).toMatchObject({ isShared: true });
  });

  it('ends when no run has come for so long', async () => {
    const pool = await startPool({ threadIdleMs: 50 });
    const first = await pidOf(pool, 'a');
    await gone(pool, first);
    expect(await pidOf(pool, 'a')).not.toBe(first);
  });

  it('ends earlier when another thread waits: the one that is idle for longest, and none with a run', async () => {
    const pool = await startPool({ isolatedAtOnce: 3 });
    const busy = await hang(pool, 'busy');
    const before = pool.pids();
    const [older, newer] = [await pidOf(pool, 'older'), await pidOf(pool, 'newer')];
    const third = await pidOf(pool, 'third');
    await gone(pool, older);
    expect(new Set(pool.pids())).toEqual(new Set([...before, newer, third]));
    // Used again, it is not the oldest any more.
    expect(await pidOf(pool, 'newer')).toBe(newer);
    await pidOf(pool, 'fourth');
    await gone(pool, third);
    expect(pool.pids()).toContain(newer);
    busy.stop();
    expect(await busy.end).toEqual({ kind: 'cancelled' });
  });

  it('makes way as soon as its run is over for a thread that waits', async () => {
    const pool = await startPool({ isolatedAtOnce: 1 });
    const first = await hang(pool, 'a');
    let isServed = false;
    const waiting = pidOf(pool, 'b').finally(() => {
      isServed = true;
    });
    // As long as two guests and a run take: one that did not wait would be there by then.
    await pidOf(await startPool(), 'b');
    expect([isServed, pool.pids().length]).toEqual([false, 2]);
    first.stop();
    await first.end;
    const second = await waiting;
    expect(pool.pids()).toContain(second);
    expect(pool.pids()).toHaveLength(2);
  });

  it('serves what is asked about its thread while it is warm; otherwise a shared one does', async () => {
    const pool = await startPool();
    const [shared = 0] = pool.pids();
    const first = await pidOf(pool, 'a');
    const crash = testUpdate({ do: 'crash' }, inThread('a')).update;
    await expect(pool.updateState(crash, never)).rejects.toThrow('killed by SIGKILL');
    await gone(pool, first);
    expect(pool.pids()).toContain(shared);
    await expect(pool.updateState(crash, never)).rejects.toThrow('killed by SIGKILL');
    await gone(pool, shared);
  });

  it('is another one after a reload, and after its agent has ended it', async () => {
    const pool = await startPool();
    const first = await pidOf(pool, 'a');
    pool.reload();
    const second = await pidOf(pool, 'a');
    expect(second).not.toBe(first);
    await gone(pool, first);
    const { invocation } = testInvocation({ do: 'crash' }, inThread('a'));
    expect(await pool.invoke(invocation, never)).toMatchObject({ kind: 'crash' });
    expect(await pidOf(pool, 'a')).not.toBe(second);
  });
});

it('the time of an idle guest begins anew after each run, and no limit holds while it has one', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const close = vi.fn();
  // A process that neither ends nor is asked for more.
  const process = {
    hasExited: false,
    onExit: () => () => undefined,
    close,
  } as never as GuestProcess;
  const limits = { isolatedAtOnce: 1, threadIdleMs: 1_000 };
  const guests = new OwnGuests({ limits, start: () => Promise.resolve(process) });
  const { threadId } = inThread('a');
  await guests.enter(never);
  const first = await guests.startForThread(threadId, never);
  vi.advanceTimersByTime(5_000);
  first.release();
  vi.advanceTimersByTime(999);
  expect(guests.takeOfThread(threadId)).toBe(first);
  vi.advanceTimersByTime(5_000);
  first.release();
  vi.advanceTimersByTime(999);
  expect(close).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(close).toHaveBeenCalledOnce();
  expect(guests.takeOfThread(threadId)).toBeUndefined();
});

it('a run that has a guest for itself is marked so, and leaves it to no other run', async () => {
  const pool = await startTestPool({ isolation: 'run' });
  pools.push(pool);
  const { invocation } = testInvocation({ do: 'echo' });
  await pool.invoke(invocation, never);
  const runId = compositeRunId(invocation.threadId, invocation.runUuid);
  expect(pool.runSandboxes.read(runId)).toMatchObject({ isShared: false });
  expect(await pidOf(pool, 'thread')).not.toBe(await pidOf(pool, 'thread'));
});
