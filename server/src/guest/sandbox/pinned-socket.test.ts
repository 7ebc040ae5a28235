import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { pinSocket } from './pinned-socket.ts';

let folder = '';
const servers: Server[] = [];
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'pinned-'))));
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listener(name: string, says: string): Promise<string> {
  const server = createServer((socket) => socket.end(says));
  servers.push(server);
  const place = path.join(folder, name);
  await once(server.listen(place), 'listening');
  return place;
}

async function saidBy(place: string): Promise<string> {
  const [data] = (await once(connect(place), 'data')) as [Buffer];
  return data.toString();
}

it('stays the same socket when its name is given to another', async () => {
  const socket = await listener('guest.sock', 'the guest');
  const other = await listener('other.sock', 'another');
  const pinned = pinSocket(socket);
  renameSync(socket, path.join(folder, 'moved'));
  symlinkSync(other, socket);
  expect(await saidBy(socket)).toBe('another');
  expect(await saidBy(pinned.path)).toBe('the guest');
  pinned.close();
});

it('is neither a link to a socket nor a file', async () => {
  const other = await listener('other.sock', 'another');
  symlinkSync(other, path.join(folder, 'link'));
  writeFileSync(path.join(folder, 'file'), '');
  for (const name of ['link', 'file']) {
    expect(() => pinSocket(path.join(folder, name))).toThrow('in place of its socket');
  }
  expect(() => pinSocket(path.join(folder, 'nothing'))).toThrow(
    'The guest has no socket any more.',
  );
});
