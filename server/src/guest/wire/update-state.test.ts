import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { testUpdate } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentId } from '../../model/ids.ts';
import type { GuestPool } from '../pool/guest-pool.ts';
import { guestLimits, type GuestLimits } from '../limits.ts';

const maxMessageBytes = 1024 * 1024;
const never = new AbortController().signal;
const pools: GuestPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool whose guest the test breaks, or that has its own limits. */
async function startPool(limits: Partial<GuestLimits> = {}): Promise<GuestPool> {
  const pool = await startTestPool({ maxMessageBytes, limits: { ...guestLimits, ...limits } });
  pools.push(pool);
  return pool;
}

/** For tests that leave their guest as it was. */
let shared: GuestPool;
beforeAll(async () => {
  shared = await startTestPool({ maxMessageBytes });
});
afterAll(() => shared.close());

describe('a change of the state', () => {
  it('reaches the guest whole and resolves with the state after it', async () => {
    const pool = shared;
    const first = testUpdate({ count: 2 });
    await pool.updateState(first.update, never);
    expect(first.session.ids).toEqual(['c1', 'c2']);

    const changes = { checkpoints: first.session, asNode: 'one', plain: true };
    const { values } = await pool.updateState(testUpdate({ n: 1 }, changes).update, never);
    expect(JSON.parse(values)).toEqual({
      n: 1,
      head: 'c2',
      as_node: 'one',
      plain: true,
      config: { configurable: { thread_id: 'thread' } },
    });
  });

  it('is done when its writes are durable', async () => {
    const pool = shared;
    const { update, session } = testUpdate({ count: 2 });
    const waiting: (() => void)[] = [];
    session.refuse = () => new Promise<void>((resolve) => waiting.push(resolve));
    let isDone = false;
    const done = pool.updateState(update, never).finally(() => (isDone = true));
    await vi.waitFor(() => expect(waiting).toHaveLength(2), 15_000);
    waiting[0]?.();
    await pool.updateState(testUpdate({}).update, never);
    expect(isDone).toBe(false);
    waiting[1]?.();
    await done;
  });

  it.each(['at once', 'late'])('fails when a write is refused (%s)', async (when) => {
    const pool = shared;
    const { update, session } = testUpdate({});
    session.refuse = async () => {
      if (when === 'late') await new Promise((resolve) => setTimeout(resolve, 50));
      throw new ServiceError('checkpoint_too_large', 'The checkpoint is too large.');
    };
    await expect(pool.updateState(update, never)).rejects.toMatchObject({
      code: 'checkpoint_too_large',
    });
  });

  it.each([
    ['raise', 'no such role'],
    ['refuse', 'no such key'],
  ])('fails as the guest reports (%s)', async (what, message) => {
    const done = shared.updateState(testUpdate({ do: what }).update, never);
    await expect(done).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it('fails 503 when a write of it does not come in', async () => {
    const pool = await startPool({ lastWriteMs: 50 });
    const done = pool.updateState(testUpdate({ do: 'late' }).update, never);
    await expect(done).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: 'A checkpoint of the update did not come in.',
    });
  });

  it('fails 503 when its guest dies, and the next one has a fresh guest', async () => {
    const pool = await startPool();
    await expect(pool.updateState(testUpdate({ do: 'crash' }).update, never)).rejects.toMatchObject(
      {
        code: 'guest_unavailable',
        message: 'The javascript guest was killed by SIGKILL.',
      },
    );
    await pool.updateState(testUpdate({}).update, never);
  });

  it('fails 503 when its guest does not respond in time, and that guest is replaced', async () => {
    const pool = await startPool({ stateUpdateMs: 50 });
    const [pid] = pool.pids();
    await expect(pool.updateState(testUpdate({ do: 'hang' }).update, never)).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: 'The guest did not respond within 0.05 s.',
    });
    await vi.waitFor(() => expect(pool.pids()).not.toContain(pid), 15_000);
  });

  it('is given up with its request', async () => {
    const pool = shared;
    const stop = new AbortController();
    const done = pool.updateState(testUpdate({ do: 'hang' }).update, stop.signal);
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'guest_unavailable' });
  });

  it('fails 413 when the values are larger than a message may be', async () => {
    const pool = shared;
    const { update } = testUpdate({ text: 'x'.repeat(3 * 1024 * 1024) });
    await expect(pool.updateState(update, never)).rejects.toMatchObject({
      code: 'checkpoint_too_large',
    });
  });

  it('fails 404 for an agent that does not exist', async () => {
    const pool = shared;
    const { update } = testUpdate({}, { agentId: 'other' as AgentId });
    await expect(pool.updateState(update, never)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
  });
});
