import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { type GuestDirectory, makeGuestDirectory } from '../guest-directory.ts';
import { type PrivateFolderWatch, watchPrivateFolder } from './private-folder-watch.ts';

let directory: GuestDirectory;
let watching: PrivateFolderWatch;
const servers: Server[] = [];

/** The kernel tells at once. */
const QUIET_MS = 50;

beforeEach(async () => {
  directory = await makeGuestDirectory('docker');
  await listen(directory.hostSocket);
  writeFileSync(directory.configFile, '{}');
  watching = watchPrivateFolder(directory);
});
afterEach(async () => {
  watching.close();
  for (const server of servers.splice(0)) server.close();
  await directory.remove();
});

async function listen(socket: string): Promise<void> {
  const server = createServer().listen(socket);
  servers.push(server);
  await once(server, 'listening');
}

const place = (name: string): string => path.join(directory.path, name);

it('says nothing of what a guest and its host do', async () => {
  await listen(directory.guestSocket);
  for (const file of [directory.guestSocket, directory.hostSocket, directory.configFile])
    chmodSync(file, 0o600);
  chmodSync(directory.path, 0o700);
  expect(await Promise.race([watching.fault, delay(QUIET_MS)])).toBeUndefined();
});

it.each([
  ['another file', () => writeFileSync(place('other'), '')],
  ['one that is gone at once', () => (writeFileSync(place('x'), ''), rmSync(place('x')))],
  ['a folder', () => mkdirSync(place('folder'))],
  ['a longer config.json', () => appendFileSync(place('config.json'), ' ')],
  ['no config.json', () => rmSync(place('config.json'))],
  ['a file in place of its socket', () => writeFileSync(place('guest.sock'), '')],
  ['a link in place of its socket', () => symlinkSync('/', place('guest.sock'))],
  ['a file with the name of the folder', () => writeFileSync(place(path.basename(place('.'))), '')],
  ['no socket of its host', () => rmSync(place('host.sock'))],
])('tells of %s', async (_, deed) => {
  deed();
  expect(await watching.fault).toMatch(/^was killed: it wrote to its private folder/);
});

it('tells of a second socket of the same name', async () => {
  await listen(directory.guestSocket);
  expect(await Promise.race([watching.fault, delay(QUIET_MS)])).toBeUndefined();
  rmSync(directory.guestSocket);
  expect(await watching.fault).toMatch(/^was killed: it wrote to its private folder/);
});
