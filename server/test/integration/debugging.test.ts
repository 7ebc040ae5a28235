/** One path through each debugger: real guests, and its own protocol over the socket. More of it: debugged-runs.test.ts. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attachDebugpy, attachInspector, PydevdIde } from '../fixtures/debug-clients.ts';
import { completed, DebuggedAgents, lineOf } from '../fixtures/debugged-agents.ts';

let agents: DebuggedAgents;
beforeAll(async () => {
  agents = await DebuggedAgents.make();
});
afterEach(() => agents.close());
afterAll(() => agents.remove());

it('debugpy stops runs at breakpoints in sync and async nodes, holds them beyond every limit, and lets them continue', async () => {
  const pool = await agents.open('py', 'ts');
  const file = agents.file('py');
  const port = await agents.debug('debugpy');
  const lines = [lineOf('py', 'answer'), lineOf('py', 'finish')];
  const client = await attachDebugpy(port, file, lines);
  await agents.becomes('attached');
  const { pid } = pool.debugging.view();
  const end = agents.run('py', 'hi');
  expect(await client.stopped()).toMatchObject({
    file,
    line: lineOf('py', 'answer'),
    variables: { word: "'hi'" },
  });
  // What else is asked of its guest is held with it; the guests beside it work, and are held to their limits.
  const updated = agents.update('py', 'set');
  expect(await agents.run('ts', 'other')).toEqual(completed('typescript other'));
  await agents.outlastLimits('ts');
  expect(pool.debugging.view()).toMatchObject({ state: 'attached', pid });
  await client.resume();
  expect(await client.stopped()).toMatchObject({
    line: lineOf('py', 'finish'),
    variables: { reply: "'python hi'" },
  });
  await client.resume();
  expect(await end).toEqual(completed('python hi!'));
  expect(await updated).toEqual({ values: '{"text":"set"}', hasNext: true });
  await client.detach();
  await agents.becomes('waiting');
  expect(pool.debugging.view().pid).toBe(pid);
});

it('inspectors stop JavaScript agents at the lines of their own source; runs in flight finish where they are', async () => {
  const pool = await agents.open('ts');
  pool.start();
  const inFlight = agents.begin('ts', 'look');
  await inFlight.begun;
  const before = pool.pids();
  const file = agents.file('ts');
  const port = await agents.debug('inspector');
  await fetch(`http://127.0.0.1:${port}/json/list`);
  expect(pool.debugging.view().state).toBe('waiting');
  expect(before).not.toContain(pool.debugging.view().pid);
  const client = await attachInspector(port, file, [lineOf('ts', 'answer')]);
  await agents.becomes('attached');
  const end = agents.run('ts', 'hi');
  expect(await client.stopped()).toMatchObject({
    file,
    line: lineOf('ts', 'answer'),
    variables: { text: 'hi', reply: 'typescript hi' },
  });
  await agents.mark();
  expect(await inFlight.end).toEqual(completed('typescript look'));
  await client.resume();
  expect(await end).toEqual(completed('typescript hi'));
  await client.detach();
  await agents.becomes('waiting');
});

it('an inspector is configured to wait for its client: only then the agent is imported', async () => {
  await agents.open('ts');
  const port = await agents.debug('inspector', { options: { 'wait-for-client': 'true' } });
  const end = agents.run('ts', 'hi');
  // An agent that was imported before its client came would not stop there any more.
  const client = await attachInspector(port, agents.file('ts'), [lineOf('ts', 'import')]);
  expect(await client.stopped()).toMatchObject({ line: lineOf('ts', 'import') });
  await client.resume();
  expect(await end).toEqual(completed('typescript hi'));
  await client.detach();
});

it(
  'pydevd dials an IDE that listens, also one that comes late or comes back',
  { tags: 'release' },
  async () => {
    await agents.open('py');
    const file = agents.file('py');
    const lines = [lineOf('py', 'look'), lineOf('py', 'finish')];
    const first = await PydevdIde.listen(file, lines);
    const { port } = first;
    await agents.debug('pydevd', { port });
    const end = agents.run('py', 'look');
    const stop = await first.stopped();
    expect(stop).toMatchObject({ file, line: lineOf('py', 'look'), variables: { word: 'look' } });
    await agents.becomes('attached');
    await agents.mark();
    first.resume(stop.thread);
    const second = await first.stopped();
    expect(second).toMatchObject({
      line: lineOf('py', 'finish'),
      variables: { reply: 'python look' },
    });
    first.resume(second.thread);
    expect(await end).toEqual(completed('python look!'));
    await first.close();
    await agents.becomes('waiting');
    expect(await agents.run('py', 'alone')).toEqual(completed('python alone!'));

    await agents.unmark();
    const again = agents.run('py', 'look');
    const back = await PydevdIde.listen(file, [lineOf('py', 'look')], port);
    await back.stopped();
    // An IDE that disconnects releases what it held.
    await agents.mark();
    await back.close();
    expect(await again).toEqual(completed('python look!'));
  },
);

describe('a debugger that is unavailable', () => {
  it('reports that its port is taken, and leaves the guests', async () => {
    const pool = await agents.open('ts');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const view = await pool.debugging.start({ provider: 'inspector', port });
    expect(view.state).toBe('failed');
    expect(view.message).toMatch(
      new RegExp(`^The debug port ${port} is taken, .* choose another one with --debug-port\\.$`),
    );
    await expect(pool.debugging.begin({ provider: 'inspector', port })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    server.close();
    pool.start();
    expect(await agents.run('ts', 'hi')).toEqual(completed('typescript hi'));
  });

  it('reports which option it does not know', async () => {
    const pool = await agents.open('ts');
    const options = { speed: '1' };
    expect(await pool.debugging.start({ provider: 'inspector', port: 0, options })).toMatchObject({
      state: 'failed',
      message: 'inspector has no option "speed"; there are wait-for-client.',
    });
  });
});
