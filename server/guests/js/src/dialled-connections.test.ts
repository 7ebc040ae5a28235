// Real sockets: the host's side is a listener that pipes a client's bytes into a connection of the guest's.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, credentials, Server, status } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';

import { dialHost } from './dialled-connections.ts';

it('serves calls over connections that it opens, and opens others when they break', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dial-'));
  const dialled: Socket[] = [];
  const host = createServer({ pauseOnConnect: true }, (socket) => {
    dialled.push(socket.on('error', () => undefined));
  });
  const front = createServer((client) => {
    const guest = dialled.shift();
    client.on('error', () => undefined);
    if (guest) client.pipe(guest).pipe(client);
  });
  host.listen(path.join(folder, 'dial.sock'));
  front.listen(path.join(folder, 'front.sock'));
  await Promise.all([once(host, 'listening'), once(front, 'listening')]);
  const server = new Server();
  dialHost(server, path.join(folder, 'dial.sock'));
  onTestFinished(() => {
    server.forceShutdown();
    host.close();
    front.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = (): Promise<number | undefined> => {
    const client = new Client(`unix:${folder}/front.sock`, credentials.createInsecure());
    const bytes = (value: Buffer): Buffer => value;
    return new Promise<number | undefined>((resolve) => {
      client.makeUnaryRequest('/a/b', bytes, bytes, Buffer.alloc(0), (error) =>
        resolve(error?.code),
      );
    }).finally(() => client.close());
  };
  // The error of a server without services: it was reached.
  for (let call = 0; call < 3; call++) {
    await expect.poll(() => dialled.length).toBe(2);
    expect(await ask()).toBe(status.UNIMPLEMENTED);
  }
  for (const socket of dialled.splice(0)) socket.destroy();
  await expect.poll(() => dialled.length).toBe(2);
  expect(await ask()).toBe(status.UNIMPLEMENTED);
});
