// Starts a process that opens thousands of connections: in this one the descriptors would be those of both sides.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client, credentials, Server, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOST_CONNECTIONS } from '../../model/limits/sandbox-limits.ts';
import { type BoundedListener, listenForGuest } from './bounded-listener.ts';

const ATTEMPTS = 2_000;
/** Keeps every connection for as long as it may, and returns how many it has once no more than allowed are left. */
const opener = `
let left = 0, ended = 0;
const next = () => {
  const socket = require('node:net').connect(process.argv[1]);
  // EAGAIN: the listener has not come to those before it yet.
  let isConnected = false;
  socket.on('error', () => isConnected || setTimeout(next, 10));
  socket.once('connect', () => {
    isConnected = true;
    socket.once('close', () => (ended += 1) === ${ATTEMPTS - HOST_CONNECTIONS} && console.log('closed'));
    if ((left += 1) < ${ATTEMPTS}) next();
  });
};
next();
`;

let folder: string;
let listeners: BoundedListener[];
const sockets = (): string[] => ['a', 'b'].map((name) => path.join(folder, name));

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'listener-'));
  const listen = (socket: string): Promise<BoundedListener> =>
    listenForGuest(new Server(), socket, HOST_CONNECTIONS);
  listeners = await Promise.all(sockets().map(listen));
});
afterEach(() => {
  for (const listener of listeners) listener.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The status with which a server without services responds. */
async function ask(socket: string): Promise<number | undefined> {
  const client = new Client(`unix:${socket}`, credentials.createInsecure());
  try {
    return await new Promise((resolve) => {
      const deadline = Date.now() + 10_000;
      const bytes = (value: Buffer): Buffer => value;
      client.makeUnaryRequest('/a/b', bytes, bytes, Buffer.alloc(0), { deadline }, (error) =>
        resolve(error?.code),
      );
    });
  } finally {
    client.close();
  }
}

it('tolerates a guest that opens thousands of connections: few stay open, and its neighbours are served', async () => {
  const [attacked = '', neighbour = ''] = sockets();
  const before = readdirSync('/dev/fd').length;
  const guest = spawn(process.execPath, ['-e', opener, attacked], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const few = before + HOST_CONNECTIONS + 10;
  await once(createInterface({ input: guest.stdout }), 'line');
  expect(readdirSync('/dev/fd').length).toBeLessThan(few);
  expect(await ask(neighbour)).toBe(status.UNIMPLEMENTED);
  expect(await ask(attacked)).toBe(status.UNAVAILABLE);
  guest.kill('SIGKILL');
  await once(guest, 'exit');
  // There is room again.
  await expect.poll(() => ask(attacked)).toBe(status.UNIMPLEMENTED);
}, 60_000);

it('cuts its connections when it is closed, and takes no more', async () => {
  const [socket = ''] = sockets();
  expect(await ask(socket)).toBe(status.UNIMPLEMENTED);
  listeners[0]?.close();
  expect(await ask(socket)).toBe(status.UNAVAILABLE);
});
