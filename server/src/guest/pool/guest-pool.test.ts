// What the host does with guests that are processes: every pool of a test is one.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { testGuestProgram } from '../../../test/fixtures/test-guest-program.ts';
import { startTestPool, testAgent } from '../../../test/fixtures/test-pool.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentId } from '../../model/ids.ts';
import { GuestPool, type GuestPoolOptions } from './guest-pool.ts';
import { guestLimits } from '../limits.ts';
import type { InvocationEnd } from '../port.ts';

const pools: GuestPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool that the test changes: it is closed after it. */
async function startPool(options: Partial<GuestPoolOptions> = {}): Promise<GuestPool> {
  const pool = await startTestPool(options);
  pools.push(pool);
  return pool;
}

/** For tests that leave their guest as it was. */
let shared: GuestPool;
beforeAll(async () => {
  shared = await startTestPool();
});
afterAll(() => shared.close());

const never = new AbortController().signal;

function run(
  pool: GuestPool,
  input: Record<string, unknown>,
  changes: Parameters<typeof testInvocation>[1] = {},
): Promise<InvocationEnd> {
  return pool.invoke(testInvocation(input, changes).invocation, never);
}

async function outputOf(pool: GuestPool, input: Record<string, unknown>): Promise<unknown> {
  const end = await run(pool, input);
  return end.kind === 'completed' ? JSON.parse(end.output) : end;
}

/** A run that hangs, once it does so. */
async function hang(
  pool: GuestPool,
  input: Record<string, unknown> = {},
  changes: Parameters<typeof testInvocation>[1] = {},
): Promise<{ end: Promise<InvocationEnd>; stop: () => void }> {
  const stop = new AbortController();
  const hangs = gate();
  const { invocation } = testInvocation({ do: 'hang', ...input }, changes);
  invocation.onChunk = () => hangs.resolve();
  const end = pool.invoke(invocation, stop.signal);
  await hangs.promise;
  return { end, stop: () => stop.abort() };
}

/** Something to wait for, and how to let it happen. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve: () => resolve() };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a run on a warm guest', () => {
  it('gets its input, config and head and gives its output, chunks and checkpoints', async () => {
    const pool = shared;
    const { invocation, session, chunks } = testInvocation({ do: 'write', count: 3, chunks: 2 });
    const end = await pool.invoke(invocation, never);
    expect(end).toEqual({ kind: 'completed', output: '{"refused":[]}' });
    expect(session.ids).toEqual(['c1', 'c2', 'c3']);
    expect(chunks.map(({ data }) => data)).toEqual(['{"i":0}', '{"i":1}']);

    const next = testInvocation({ do: 'echo' }, { checkpoints: session });
    const second = await pool.invoke(next.invocation, never);
    expect(second.kind === 'completed' && JSON.parse(second.output)).toMatchObject({
      input: { do: 'echo' },
      config: { configurable: { thread_id: 'thread' } },
      head: 'c3',
    });
  });

  it('ends as its guest reports', async () => {
    const pool = shared;
    expect(await run(pool, { do: 'raise' })).toEqual({
      kind: 'error',
      error: { code: 'agent_error', message: 'boom', type: 'ValueError', traceback: 'Traceback' },
    });
    expect(await run(pool, { do: 'interrupt' })).toEqual({
      kind: 'interrupted',
      output: '{"a":1}',
      interrupts: '[{"id":"i1","value":"ok?"}]',
    });
  });

  it('is refused when the manifest has no such agent', async () => {
    const pool = shared;
    const end = await run(pool, {}, { agentId: 'other' as AgentId });
    expect(end).toMatchObject({ kind: 'error', error: { code: 'agent_not_found' } });
  });

  it('ends infra when its guest has a fault, and the next run has a fresh guest', async () => {
    const pool = await startPool();
    const before = await outputOf(pool, { do: 'echo' });
    expect(await run(pool, { do: 'break' })).toMatchObject({ kind: 'infra' });
    const after = await outputOf(pool, { do: 'echo' });
    expect(after).not.toMatchObject({ pid: (before as { pid: number }).pid });
  });
});

describe('checkpoints', () => {
  it('decide about the run when one is refused, regardless of the guest', async () => {
    const pool = shared;
    const { invocation, session } = testInvocation({ do: 'write', count: 4 });
    session.refuse = () =>
      session.ops.length === 2
        ? Promise.reject(new ServiceError('checkpoint_too_large', 'The checkpoint is too large.'))
        : undefined;
    expect(await pool.invoke(invocation, never)).toEqual({
      kind: 'error',
      error: { code: 'checkpoint_too_large', message: 'The checkpoint is too large.' },
    });
    expect(session.ids).toEqual(['c1', 'c2']);
  });

  it('stop the run when one is refused, also where its guest continues', async () => {
    const pool = await startPool();
    const { invocation, session } = testInvocation({ do: 'hang', count: 1 });
    session.refuse = () =>
      Promise.reject(new ServiceError('checkpoint_too_large', 'The checkpoint is too large.'));
    expect(await pool.invoke(invocation, never)).toMatchObject({
      kind: 'error',
      error: { code: 'checkpoint_too_large' },
    });
  });

  it('are acknowledged to the guest only when they are durable, if they are synchronous', async () => {
    const pool = shared;
    const durable = gate();
    const { invocation, session } = testInvocation({ do: 'write', count: 1, sync: true });
    const asked = gate();
    session.refuse = () => {
      asked.resolve();
      return durable.promise;
    };
    const order: string[] = [];
    const end = pool.invoke(invocation, never).finally(() => order.push('end'));
    await asked.promise;
    await run(pool, { do: 'write', count: 1, sync: true });
    order.push('durable');
    durable.resolve();
    expect(await end).toMatchObject({ kind: 'completed' });
    expect(order).toEqual(['durable', 'end']);
  });

  it('do not hold up the end of the run when they are not synchronous', async () => {
    const pool = shared;
    const { invocation, session } = testInvocation({ do: 'write', count: 2 });
    session.refuse = () => new Promise(() => undefined);
    expect(await pool.invoke(invocation, never)).toMatchObject({ kind: 'completed' });
    expect(session.ids).toEqual(['c1', 'c2']);
  });

  it('are read after the writes that the guest made before', async () => {
    const pool = shared;
    const found = await outputOf(pool, { do: 'load', count: 2 });
    expect(found).toMatchObject({ checkpoint_id: 'c2' });
  });

  it('of another thread are out of reach', async () => {
    const pool = shared;
    expect(await outputOf(pool, { do: 'load', thread: 'other' })).toMatchObject({ code: 7 });
    const { invocation, session } = testInvocation({ do: 'write', thread: 'other', sync: true });
    expect(await pool.invoke(invocation, never)).toMatchObject({
      kind: 'error',
      error: { code: 'permission_denied' },
    });
    expect(session.ops).toEqual([]);
  });

  it('that do not come in make the run end infra', async () => {
    const pool = await startPool({ limits: { ...guestLimits, lastWriteMs: 50 } });
    expect(await run(pool, { do: 'gap' })).toMatchObject({ kind: 'infra' });
    expect(await run(pool, { do: 'late' })).toMatchObject({ kind: 'infra' });
  });
});

describe('a guest that dies', () => {
  it('ends all its runs as crash, after the checkpoints it had sent, and is replaced', async () => {
    const pool = await startPool();
    const [pid = 0] = pool.pids();
    const neighbour = await hang(pool);
    const { invocation, session } = testInvocation({ do: 'crash' });
    const end = await pool.invoke(invocation, never);
    expect(end).toEqual({
      kind: 'crash',
      message: 'The javascript guest was killed by SIGKILL.',
    });
    expect(session.ids).toEqual(['c1']);
    expect(await neighbour.end).toMatchObject({ kind: 'crash' });
    expect(await outputOf(pool, { do: 'echo' })).not.toMatchObject({ pid });
    expect(isAlive(pid)).toBe(false);
  });

  it('is noticed when it is killed from outside', async () => {
    const pool = await startPool();
    const { end } = await hang(pool);
    process.kill(pool.pids()[0] ?? 0, 'SIGKILL');
    expect(await end).toMatchObject({ kind: 'crash' });
  });

  it('reports its last output', async () => {
    const pool = await startPool();
    const end = await run(pool, { do: 'leave' });
    expect(end).toEqual({
      kind: 'crash',
      message: 'The javascript guest exited with code 7. out of memory',
    });
  });

  it('takes no neighbour with it when the run has its own guest', async () => {
    const pool = await startPool();
    const neighbour = await hang(pool);
    const end = await run(pool, { do: 'crash' }, { isIsolated: true });
    expect(end).toMatchObject({ kind: 'crash' });
    neighbour.stop();
    expect(await neighbour.end).toEqual({ kind: 'cancelled' });
  });
});

describe('a run with its own guest', () => {
  it('ends with its guest, and waits while too many have one', async () => {
    const pool = await startPool({ limits: { ...guestLimits, isolatedAtOnce: 1, acquireMs: 50 } });
    const first = await hang(pool, {}, { isIsolated: true });
    // `settled` waits no longer than a run may, which is too short for a slow machine.
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(2), 15_000);
    const second = run(pool, { do: 'echo' }, { isIsolated: true });
    // As long as two guests take to start, which is longer than a run may wait for a shared one.
    await run(await startPool(), { do: 'echo' }, { isIsolated: true });
    expect(await Promise.race([second, Promise.resolve('it waits')])).toBe('it waits');
    expect(pool.pids()).toHaveLength(2);
    first.stop();
    expect(await first.end).toEqual({ kind: 'cancelled' });
    expect(await second).toMatchObject({ kind: 'completed' });
    await vi.waitFor(() => expect(pool.pids()).toHaveLength(1), 15_000);
  });
});

describe('cancelling', () => {
  it('ends the run as cancelled when its guest has stopped it', async () => {
    const pool = shared;
    const { end, stop } = await hang(pool);
    stop();
    expect(await end).toEqual({ kind: 'cancelled' });
  });

  it('gives up on a run that does not stop, and recycles its guest after its other runs', async () => {
    const pool = await startPool({ limits: { ...guestLimits, cancelGraceMs: 50 } });
    const [pid = 0] = pool.pids();
    const neighbour = await hang(pool);
    const deaf = await hang(pool, { deaf: true });
    deaf.stop();
    expect(await deaf.end).toEqual({ kind: 'cancelled' });
    expect(await outputOf(pool, { do: 'echo' })).not.toMatchObject({ pid });
    expect(isAlive(pid)).toBe(true);
    neighbour.stop();
    expect(await neighbour.end).toEqual({ kind: 'cancelled' });
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 15_000);
  });

  it('recycles a guest that ended the run but still executes its code', async () => {
    const pool = await startPool({ limits: { ...guestLimits, cancelGraceMs: 50 } });
    const [pid = 0] = pool.pids();
    const neighbour = await hang(pool);
    const leaving = await hang(pool, { leaves: true });
    leaving.stop();
    expect(await leaving.end).toEqual({ kind: 'cancelled' });
    // No run is sent before: one on its way to the guest would hide the one that was left behind.
    await vi.waitFor(() => expect(pool.pids().some((other) => other !== pid)).toBe(true), 15_000);
    expect(await outputOf(pool, { do: 'echo' })).not.toMatchObject({ pid });
    expect(isAlive(pid)).toBe(true);
    neighbour.stop();
    expect(await neighbour.end).toEqual({ kind: 'cancelled' });
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 15_000);
  });

  it('ends a run that still waits for a guest', async () => {
    const pool = new GuestPool({
      agents: [testAgent],
      prepare: () => Promise.resolve(testGuestProgram({ stay_silent: true })),
      size: 1,
      maxMessageBytes: 1024,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    pools.push(pool);
    pool.start();
    const stop = new AbortController();
    const end = pool.invoke(testInvocation({}).invocation, stop.signal);
    stop.abort();
    expect(await end).toEqual({ kind: 'cancelled' });
  });
});

describe('a guest that cannot start', () => {
  it('ends runs infra with the reason, shows it, and is tried again', async () => {
    let isBroken = true;
    const limits = { ...guestLimits, restartMinMs: 20, restartMaxMs: 20 };
    const prepare = (): Promise<ReturnType<typeof testGuestProgram>> =>
      Promise.resolve(testGuestProgram(isBroken ? { fail: 'no module named grpc' } : {}));
    const reported: unknown[] = [];
    const pool = await startPool({ prepare, limits, onDescribed: (all) => reported.push(all) });
    const reason = 'The javascript guest exited with code 3. no module named grpc';
    expect(pool.health()).toEqual({ ok: false, reason });
    expect(reported[0]).toMatchObject([{ error: { code: 'guest_unavailable', message: reason } }]);
    expect(await run(pool, {})).toEqual({ kind: 'infra', message: reason });
    isBroken = false;
    pool.reload();
    await vi.waitFor(() => expect(pool.health()).toEqual({ ok: true }), 15_000);
    expect(await run(pool, {})).toMatchObject({ kind: 'completed' });
    expect(reported.at(-1)).toEqual([{ agentId: 'test' }]);
  });

  it('is given up when it is not ready in time', async () => {
    const pool = await startPool({
      prepare: () => Promise.resolve(testGuestProgram({ stay_silent: true })),
      limits: { ...guestLimits, readyMs: 200 },
    });
    expect(pool.health()).toEqual({
      ok: false,
      reason: 'The guest was not ready within 0.2 s.',
    });
  });

  it('is named when its interpreter does not exist', async () => {
    const program = { ...testGuestProgram(), command: '/nowhere/python3' };
    const pool = await startPool({ prepare: () => Promise.resolve(program) });
    expect(pool.health().reason).toContain('could not be started');
  });
});

describe('reload', () => {
  it('gives new runs fresh guests while runs in flight finish where they are', async () => {
    const pool = await startPool();
    const [pid = 0] = pool.pids();
    const old = await hang(pool);
    pool.reload();
    expect(await outputOf(pool, { do: 'echo' })).not.toMatchObject({ pid });
    old.stop();
    expect(await old.end).toEqual({ kind: 'cancelled' });
    await vi.waitFor(() => expect(pool.pids()).not.toContain(pid), 15_000);
  });
});

describe('the pool', () => {
  it('reports which agents could not be loaded', async () => {
    const broken = { ...testAgent, agentId: 'broken' as AgentId };
    const agents = [
      { agent_id: 'test', path: 'x' },
      { agent_id: 'broken', path: 'broken.py' },
    ];
    const reported: unknown[] = [];
    const pool = await startPool({
      agents: [testAgent, broken],
      prepare: () => Promise.resolve(testGuestProgram({ agents })),
      onDescribed: (described) => reported.push(described),
    });
    const expected = [
      { agentId: 'test' },
      { agentId: 'broken', error: { code: 'agent_error', message: 'no module', traceback: 'T' } },
    ];
    expect(await pool.describe(never)).toEqual(expected);
    expect(reported).toEqual([expected]);
  });

  it('leaves no process behind when it closes, also not one that is starting', async () => {
    const pool = await startPool();
    const pids = pool.pids();
    const { end } = await hang(pool);
    const single = run(pool, {}, { isIsolated: true });
    await pool.close();
    expect(await end).toMatchObject({ kind: 'crash' });
    expect(await single).toMatchObject({ kind: 'infra' });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(pool.pids()).toEqual([]);
  });
});
