import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { DebuggingView, DebugLink } from './debugging.ts';
import { GuestDebugging } from './guest-debugging.ts';
import type { GuestLanguage } from '../pool/guest-program.ts';
import { guestLimits } from '../limits.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const hello = 'Content-Length: 2\r\n\r\n{}';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The debugging of a folder, and the links that its lanes were given. */
function open(...languages: GuestLanguage[]) {
  const links: (DebugLink | undefined)[] = [];
  const views: DebuggingView[] = [];
  const debugging = new GuestDebugging({
    languages: () => new Set(languages),
    debug: (_, link) => void links.push(link),
    limits: guestLimits,
    logger: silent,
  });
  debugging.onChange((view) => views.push(view));
  closing.push(() => debugging.close());
  return { debugging, links, views };
}

/** A debugger that echoes everything it receives. */
async function listen(): Promise<number> {
  const server: Server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return portOf(server);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function dial(port = 0): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

it('reports that no debugger reaches agents in a sandbox', async () => {
  const debugging = new GuestDebugging({
    ...{ languages: () => new Set(['python'] as const), debug: () => undefined },
    ...{ limits: guestLimits, logger: silent, isSandboxed: true },
  });
  expect(await debugging.start({ provider: 'debugpy', port: 0 })).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('sandbox none') as string,
  });
});

it('connects a client that came early to the guest once it is up, and reports it as attached', async () => {
  const { debugging, links, views } = open('python');
  const starting = debugging.start({ provider: 'debugpy', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  const { port } = debugging.view();
  const client = await dial(port);
  client.write(hello);
  links[0]?.onDebugger(7, await listen());
  expect(await starting).toMatchObject({ state: 'waiting', port, pid: 7, language: 'python' });
  expect(String(await once(client, 'data'))).toBe(hello);
  expect(debugging.view().state).toBe('attached');
  expect(links[0]?.patience.wasHeldWithin(0)).toBe(true);

  // A guest that is gone takes its clients along; the port stays.
  links[0]?.onGone(7);
  await once(client, 'close');
  expect(debugging.view()).toMatchObject({ state: 'starting', port });
  links[0]?.onFailure('It does not start.');
  expect(debugging.view()).toMatchObject({ state: 'starting', message: 'It does not start.' });
  links[0]?.onDebugger(8, await listen());
  expect(debugging.view()).toEqual({
    state: 'waiting',
    provider: 'debugpy',
    language: 'python',
    port,
    pid: 8,
  });
  expect(await debugging.stop()).toEqual({ state: 'off' });
  expect(links).toHaveLength(2);
  expect(links[1]).toBeUndefined();
  expect(views.at(-1)).toEqual({ state: 'off' });
});

it('leads who comes when a guest is to go to the next one, and leaves the others with it', async () => {
  const { debugging, links } = open('python');
  const starting = debugging.start({ provider: 'debugpy', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  const { port } = debugging.view();
  links[0]?.onDebugger(7, await listen());
  await starting;
  const early = await dial(port);
  early.write(hello);
  expect(String(await once(early, 'data'))).toBe(hello);

  links[0]?.onRetired(7);
  const late = await dial(port);
  late.write(hello);
  const lateAnswer = once(late, 'data');
  early.write(hello);
  expect(String(await once(early, 'data'))).toBe(hello);
  expect(late.bytesRead).toBe(0);
  links[0]?.onGone(7);
  await once(early, 'close');
  links[0]?.onDebugger(8, await listen());
  expect(String((await lateAnswer)[0])).toBe(hello);
});

it('goes back to ordinary guests when none comes up under the debugger', async () => {
  const { debugging, links } = open('python');
  const starting = debugging.start({ provider: 'debugpy', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  const { port } = debugging.view();
  links[0]?.onFailure('debugpy could not be installed.');
  expect(await starting).toMatchObject({
    state: 'failed',
    message: 'debugpy could not be installed.',
  });
  expect(links).toEqual([links[0], undefined]);
  const socket = connect(port ?? 0, '127.0.0.1');
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
});

it('stops at once what is still starting', async () => {
  const { debugging, links } = open('javascript');
  const starting = debugging.start({ provider: 'inspector', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  expect(await debugging.stop()).toEqual({ state: 'off' });
  expect(await starting).toMatchObject({ state: 'starting' });
});

it.each([
  [
    'agents of the other language',
    { provider: 'debugpy', port: 0 },
    'debugpy debugs Python agents, and the folder has none. Its JavaScript agents are debugged with --debug-provider inspector.',
  ],
  [
    'a wrong value',
    { provider: 'inspector', port: 0, options: { 'wait-for-client': 'yes' } },
    'wait-for-client is true or false, not "yes".',
  ],
] as const)('refuses %s', async (_, request, message) => {
  const { debugging, links } = open('javascript');
  expect(await debugging.start(request)).toMatchObject({ state: 'failed', message });
  await expect(debugging.begin(request)).rejects.toMatchObject({ code: 'config_invalid', message });
  expect(links).toEqual([]);
});

it('wants to know where the IDE of pydevd listens', async () => {
  const { debugging } = open('python');
  const view = await debugging.start({ provider: 'pydevd', port: 0 });
  expect(view).toMatchObject({ message: 'pydevd needs the port where the IDE listens.' });
});

it('reads a debugger to its end whose client left at once, for it may fail when it cannot respond', async () => {
  const { debugging, links } = open('python');
  const ends: Promise<unknown>[] = [];
  const sayLate = createServer({ allowHalfOpen: true }, (socket) => {
    ends.push(
      (async () => {
        await once(socket.resume(), 'end');
        for (let word = 0; word < 3; word += 1) {
          await new Promise((resolve, reject) => {
            socket.once('error', reject);
            socket.write('word', (error) => (error ? reject(error) : setTimeout(resolve, 50)));
          });
        }
        socket.end();
      })(),
    );
  }).listen(0, '127.0.0.1');
  await once(sayLate, 'listening');
  closing.push(() => sayLate.close());
  const starting = debugging.start({ provider: 'debugpy', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  const early = await dial(debugging.view().port);
  early.end(hello);
  links[0]?.onDebugger(7, portOf(sayLate));
  await starting;
  (await dial(debugging.view().port)).end(hello);
  await expect.poll(() => ends.length).toBe(2);
  await Promise.all(ends);
});

it('reports pydevd as attached also when the IDE connected before the guest was known', async () => {
  const { debugging, links } = open('python');
  const ide = createServer((socket) => void socket.on('error', () => undefined));
  ide.listen(0, '127.0.0.1');
  await once(ide, 'listening');
  closing.push(() => ide.close());
  const dialled = once(ide, 'connection');
  const starting = debugging.start({ provider: 'pydevd', port: portOf(ide) });
  await expect.poll(() => links.length).toBe(1);
  await dial(links[0]?.launch.dialPort);
  await dialled;
  await expect.poll(() => links[0]?.patience.wasHeldWithin(0)).toBe(true);
  links[0]?.onDebugger(7, undefined);
  expect(await starting).toMatchObject({ state: 'attached', pid: 7 });
});

it('keeps from debugpy clients that do not speak its protocol, or send nothing', async () => {
  const { debugging, links } = open('python');
  let clients = 0;
  const adapter = createServer((socket) => {
    clients += 1;
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(adapter, 'listening');
  closing.push(() => adapter.close());
  const starting = debugging.start({ provider: 'debugpy', port: 0 });
  await expect.poll(() => links.length).toBe(1);
  links[0]?.onDebugger(7, portOf(adapter));
  const { port } = await starting;
  for (const words of [
    'GET / HTTP/1.1\r\n\r\n',
    'Content-Length: 3\r\n\r\nabc',
    'Content-Length: 1000000',
  ]) {
    const stray = await dial(port);
    stray.on('error', () => undefined).resume();
    stray.write(words);
    await once(stray, 'close');
  }
  (await dial(port)).destroy();
  const client = await dial(port);
  client.write(hello.slice(0, 9));
  client.write(hello.slice(9));
  await once(client, 'data');
  expect(clients).toBe(1);
  expect(debugging.view().state).toBe('attached');
});
