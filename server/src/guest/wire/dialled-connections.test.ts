// Real sockets: a guest that does what it likes with the one that it is to open connections to.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { DialledConnections } from './dialled-connections.ts';

const MOST = 4;

let folder: string;
let dialSocket: string;
let frontSocket: string;
let connections: DialledConnections;
let opened: Socket[];

beforeEach(async () => {
  opened = [];
  folder = mkdtempSync(path.join(tmpdir(), 'dialled-'));
  [dialSocket, frontSocket] = [path.join(folder, 'dial'), path.join(folder, 'front')];
  await listen(10_000);
});
afterEach(() => {
  connections.close();
  for (const socket of opened) socket.destroy();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(dialMs: number): Promise<void> {
  const limits = { dialledConnections: MOST, dialMs };
  connections = await DialledConnections.listen({ dialSocket, frontSocket }, limits);
}

async function open(socketPath: string): Promise<Socket> {
  const socket = connect(socketPath);
  opened.push(socket);
  socket.on('error', () => undefined); // it is cut
  await once(socket, 'connect');
  return socket;
}

/** A guest's connection, which returns in capitals what it receives. */
async function dial(): Promise<Socket> {
  const socket = await open(dialSocket);
  socket.on('data', (text: Buffer) => socket.write(text.toString().toUpperCase()));
  return socket;
}

async function say(client: Socket, text: string): Promise<string> {
  client.write(text);
  return String(await once(client, 'data'));
}

const closed = async (socket: Socket): Promise<true> => {
  if (!socket.closed) await once(socket.resume(), 'close');
  return true;
};

it('gives each client its own connection, in any order', async () => {
  await dial();
  const first = await open(frontSocket);
  expect(await say(first, 'one')).toBe('ONE');
  const second = await open(frontSocket);
  const response = say(second, 'two');
  await dial();
  expect(await response).toBe('TWO');
  expect(await say(first, 'three')).toBe('THREE');
});

it('ends one side with the other', async () => {
  const guest = await dial();
  const client = await open(frontSocket);
  await say(client, 'one');
  guest.destroy();
  expect(await closed(client)).toBe(true);
  const next = await dial();
  const other = await open(frontSocket);
  await say(other, 'two');
  other.destroy();
  expect(await closed(next)).toBe(true);
});

it('cuts a client for whom the guest opens no connection', async () => {
  connections.close();
  rmSync(dialSocket, { force: true });
  rmSync(frontSocket, { force: true });
  await listen(50);
  expect(await closed(await open(frontSocket))).toBe(true);
});

it('takes no more connections of a guest than its limit, and others when these have ended', async () => {
  const taken = await Promise.all(Array.from({ length: MOST }, dial));
  expect(await closed(await open(dialSocket))).toBe(true);
  // The first ones are in use, and end with their clients.
  const clients = await Promise.all(Array.from({ length: MOST }, () => open(frontSocket)));
  for (const client of clients) client.destroy();
  await Promise.all(taken.map(closed));
  await dial();
  expect(await say(await open(frontSocket), 'again')).toBe('AGAIN');
});

it('hands garbage of a guest to the client that asked it, and to no other one', async () => {
  const liar = await open(dialSocket);
  liar.write('garbage');
  const client = await open(frontSocket);
  expect(String(await once(client, 'data'))).toBe('garbage');
  await dial();
  expect(await say(await open(frontSocket), 'two')).toBe('TWO');
});

it('reads nothing from a guest without a pending request', async () => {
  const flood = await open(dialSocket);
  const chunk = Buffer.alloc(1024 * 1024);
  while (flood.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
  const before = flood.bytesWritten - flood.writableLength;
  await dial();
  await open(frontSocket); // its client is the flood's, and reads nothing either
  expect(flood.bytesWritten - flood.writableLength).toBe(before);
});

it('cuts everything when it is closed, and takes no more', async () => {
  const guest = await dial();
  const client = await open(frontSocket);
  await say(client, 'one');
  connections.close();
  await Promise.all([closed(guest), closed(client)]);
  await expect(open(dialSocket)).rejects.toThrow(/ENOENT|ECONNREFUSED/);
});
