import { afterEach, expect, it, vi } from 'vitest';
import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import type { GuestPool } from '../pool/guest-pool.ts';
import { guestLimits } from '../limits.ts';

let pool: GuestPool | undefined;
afterEach(() => pool?.close());

it('a run that waits for its own guest goes to the guest that is debugged when a debugger comes meanwhile', async () => {
  // At most one run at a time has its own guest.
  const started = await startTestPool({ limits: { ...guestLimits, isolatedAtOnce: 1 } });
  pool = started;
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
  await vi.waitFor(() => expect(fresh()).toHaveLength(1), 15_000);
  const debugged = fresh();

  stop.abort();
  await first;
  expect(await second).toMatchObject({ kind: 'completed' });
  expect(fresh()).toEqual(debugged);
});
