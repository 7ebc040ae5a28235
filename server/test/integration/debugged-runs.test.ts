/**
 * What becomes of held runs, and the options of debuggers, with real guests.
 * @module-tag release
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attachDebugpy, attachInspector, PydevdIde } from '../fixtures/debug-clients.ts';
import { completed, DebuggedAgents, lineOf } from '../fixtures/debugged-agents.ts';

let agents: DebuggedAgents;
beforeAll(async () => {
  agents = await DebuggedAgents.make();
});
afterEach(() => agents.close());
afterAll(() => agents.remove());

describe('a run that debugpy holds', () => {
  const attach = (port: number, ...marks: string[]) =>
    attachDebugpy(
      port,
      agents.file('py'),
      marks.map((mark) => lineOf('py', mark)),
    );

  it('ends when the debugger is stopped, which goes back to ordinary guests', async () => {
    const pool = await agents.open('py');
    const port = await agents.debug('debugpy');
    const client = await attach(port, 'answer');
    const { pid } = pool.debugging.view();
    const end = agents.run('py', 'hi');
    await client.stopped();
    expect(await pool.debugging.stop()).toEqual({ state: 'off' });
    expect(await end).toEqual(completed('python hi!'));
    expect(await agents.run('py', 'again')).toEqual(completed('python again!'));
    expect(pool.pids()).not.toContain(pid);
    await expect(isListening(port)).resolves.toBe(false);
  });

  it('can be cancelled: its guest is replaced, on the same port', async () => {
    const pool = await agents.open('py');
    const port = await agents.debug('debugpy');
    const client = await attach(port, 'answer');
    const { pid } = pool.debugging.view();
    const stop = new AbortController();
    const end = agents.run('py', 'hi', stop.signal);
    await client.stopped();
    stop.abort();
    expect(await end).toEqual({ kind: 'cancelled' });
    await agents.anotherThan(pid);
    const next = await attach(port, 'finish');
    const again = agents.run('py', 'again');
    await next.stopped();
    await next.resume();
    expect(await again).toEqual(completed('python again!'));
    await next.detach();
  });
});

it('debugpy comes back on the same port after a crash', async () => {
  const pool = await agents.open('py');
  const port = await agents.debug('debugpy');
  await agents.ready();
  const { pid } = pool.debugging.view();
  expect(await agents.run('py', 'crash')).toMatchObject({ kind: 'crash' });
  await agents.anotherThan(pid);
  expect(pool.debugging.view().port).toBe(port);
  const client = await attachDebugpy(port, agents.file('py'), [lineOf('py', 'answer')]);
  const end = agents.run('py', 'hi');
  await client.stopped();
  await client.resume();
  expect(await end).toEqual(completed('python hi!'));
  await client.detach();
});

it('debugpy is configured to wait for its client: only then the agent is imported', async () => {
  await agents.open('py');
  const port = await agents.debug('debugpy', { options: { 'wait-for-client': 'true' } });
  const end = agents.run('py', 'hi');
  // An agent that was imported before its client came would not stop there any more.
  const client = await attachDebugpy(port, agents.file('py'), [lineOf('py', 'import')]);
  expect(await client.stopped()).toMatchObject({ line: lineOf('py', 'import') });
  await client.resume();
  expect(await end).toEqual(completed('python hi!'));
  await client.detach();
});

it('all runs share the one guest that is debugged, also those that follow a crash', async () => {
  const pool = await agents.open('py');
  await agents.debug('debugpy');
  expect(await agents.run('py', 'hi')).toEqual(completed('python hi!'));
  const { pid } = pool.debugging.view();
  const isolated = agents.begin('py', 'hi', { isIsolated: true });
  expect(await isolated.end).toEqual(completed('python hi!'));
  expect(pool.debugging.view().pid).toBe(pid);
  expect(pool.pids()).toEqual([pid]);
});

it('an inspector holds a run beyond every limit', async () => {
  const pool = await agents.open('py', 'ts');
  const port = await agents.debug('inspector');
  await agents.ready();
  const client = await attachInspector(port, agents.file('ts'), [lineOf('ts', 'answer')]);
  const { pid } = pool.debugging.view();
  const end = agents.run('ts', 'hi');
  await client.stopped();
  await agents.outlastLimits('py');
  expect(pool.debugging.view()).toMatchObject({ state: 'attached', pid });
  await client.resume();
  expect(await end).toEqual(completed('typescript hi'));
  await client.detach();
});

it('pydevd holds a run beyond every limit', async () => {
  const pool = await agents.open('py', 'ts');
  const ide = await PydevdIde.listen(agents.file('py'), [lineOf('py', 'look')]);
  await agents.debug('pydevd', { port: ide.port });
  await agents.ready();
  const { pid } = pool.debugging.view();
  const end = agents.run('py', 'look');
  const { thread } = await ide.stopped();
  await agents.outlastLimits('ts');
  expect(pool.debugging.view()).toMatchObject({ state: 'attached', pid });
  await agents.mark();
  ide.resume(thread);
  expect(await end).toEqual(completed('python look!'));
  await ide.close();
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}
