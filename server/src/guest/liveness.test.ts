import process from 'node:process';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { testInvocation } from '../../test/fixtures/invocation.ts';
import { testGuestProgram } from '../../test/fixtures/test-guest-program.ts';
import type { AgentId } from '../model/ids.ts';
import { GuestPool } from './guest-pool.ts';
import { guestLimits, type GuestLimits } from './limits.ts';
import type { InvocationEnd } from './port.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const agent = { agentId: 'test' as AgentId, language: 'javascript', path: 'x' } as const;
const never = new AbortController().signal;
const pools: GuestPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

async function startPool(limits: Partial<GuestLimits>): Promise<GuestPool> {
  const pool = new GuestPool({
    agents: [agent],
    prepare: () => Promise.resolve(testGuestProgram()),
    size: 1,
    maxMessageBytes: 1024 * 1024,
    logger: silent,
    limits: { ...guestLimits, livenessEveryMs: 100, blockedMs: 300, stopGraceMs: 200, ...limits },
  });
  pools.push(pool);
  pool.start();
  await pool.settled(AbortSignal.timeout(15_000));
  return pool;
}

function run(pool: GuestPool, input: Record<string, unknown>): Promise<InvocationEnd> {
  return pool.invoke(testInvocation(input).invocation, never);
}

describe('a guest that an agent blocks', () => {
  it('takes no new runs: they get a fresh one', async () => {
    const pool = await startPool({});
    const [pid] = pool.pids();
    void run(pool, { do: 'freeze' });
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(2), 10_000);
    expect(pool.pids()).toContain(pid);
    expect(await run(pool, { do: 'echo' })).toMatchObject({ kind: 'completed' });
  });

  it('is kept when too many are blocked already', async () => {
    const pool = await startPool({ blockedAtOnce: 1 });
    const [first] = pool.pids();
    void run(pool, { do: 'freeze' });
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(2), 10_000);
    void run(pool, { do: 'freeze' });
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // several rounds
    expect(pool.pids()).toHaveLength(2);
    process.kill(first ?? 0, 'SIGKILL');
    await vi.waitFor(() => {
      expect(pool.pids()).toHaveLength(2);
      expect(pool.pids()).not.toContain(first);
    }, 10_000);
  });

  it('that only works long is left alone', async () => {
    const blockedMs = 2_000;
    const pool = await startPool({ blockedMs });
    const before = pool.pids();
    const begun = performance.now();
    const stop = new AbortController();
    const { invocation } = testInvocation({ do: 'hang', tells: true });
    const end = pool.invoke(invocation, stop.signal);
    await vi.waitFor(() => {
      const said = pool.output.read(invocation.runUuid).filter(({ text }) => text === 'asked');
      // It is asked again when it has answered.
      expect(said.length).toBeGreaterThan(5);
      expect(performance.now() - begun).toBeGreaterThan(1.5 * blockedMs);
    }, 15_000);
    expect(pool.pids()).toEqual(before);
    stop.abort();
    expect(await end).toEqual({ kind: 'cancelled' });
  });
});
