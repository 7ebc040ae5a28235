import { afterEach, expect, it, vi } from 'vitest';
import { testInvocation } from '../../test/fixtures/invocation.ts';
import { testGuestProgram } from '../../test/fixtures/test-guest-program.ts';
import type { AgentId } from '../model/ids.ts';
import { GuestPool } from './guest-pool.ts';
import { guestLimits } from './limits.ts';

let pool: GuestPool | undefined;
afterEach(() => pool?.close());

it('a run that waits for a guest of its own goes to the guest that is debugged when a debugger comes meanwhile', async () => {
  const started = await startPool();
  const stop = new AbortController();
  const hanging = testInvocation({ do: 'hang' }, { isIsolated: true }).invocation;
  const hangs = new Promise<void>((resolve) => {
    hanging.onChunk = () => resolve();
  });
  const first = started.invoke(hanging, stop.signal);
  await hangs;

  const waiting = testInvocation({ do: 'echo' }, { isIsolated: true }).invocation;
  const second = started.invoke(waiting, AbortSignal.timeout(15_000));
  const before = new Set(started.pids());
  const fresh = (): number[] => started.pids().filter((pid) => !before.has(pid));
  await started.debugging.begin({ provider: 'inspector', port: 0 });
  await vi.waitFor(() => expect(fresh()).toHaveLength(1), 10_000);
  const debugged = fresh();

  stop.abort();
  await first;
  expect(await second).toMatchObject({ kind: 'completed' });
  expect(fresh()).toEqual(debugged);
});

/** At most one run at a time has a guest of its own. */
async function startPool(): Promise<GuestPool> {
  pool = new GuestPool({
    agents: [{ agentId: 'test' as AgentId, language: 'javascript', path: 'x' }],
    prepare: () => Promise.resolve(testGuestProgram()),
    size: 1,
    maxMessageBytes: 8 * 1024 * 1024,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    limits: { ...guestLimits, isolatedAtOnce: 1 },
  });
  pool.start();
  await pool.settled(AbortSignal.timeout(15_000));
  return pool;
}
