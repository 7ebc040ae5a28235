/** A daemon that ends in the middle of its responses: a real one is killed in test/kill/sandbox-rounds.test.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { DockerContainer } from './docker-container.ts';

let folder = '';
let daemon: Server;
let connections: Socket[] = [];

/** As the daemon responds: what waits has its head at once, and nothing more until something happens. */
function respond(url: string, response: ServerResponse): void {
  if (/\/(?:events|wait)\b/.test(url)) response.writeHead(200).flushHeaders();
  else if (url.endsWith('/json')) response.end(JSON.stringify({ State: { Pid: 0 } }));
  else response.writeHead(204).end();
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'docker-container-'));
  connections = [];
  daemon = createServer((request, response) => respond(request.url ?? '', response));
  daemon.on('connection', (socket) => connections.push(socket));
  daemon.on('upgrade', (_, socket) =>
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n'),
  );
  await new Promise<void>((resolve) => daemon.listen(path.join(folder, 'docker.sock'), resolve));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// The limit of a test is less than the time that a daemon has to say that a container is removed.
it('is lost with its daemon, and then stopped without waiting for a report', async () => {
  const docker = new Docker({ socketPath: path.join(folder, 'docker.sock') });
  const own = { container: docker.getContainer('c'), remove: () => Promise.resolve() };
  const container = await DockerContainer.start(own, { docker, what: 'It' });
  daemon.close();
  for (const socket of connections) socket.destroy();
  expect(await container.gone).toMatch(/^was lost: the Docker daemon has ended/);
  expect(container.wasLost).toBe(true);
  await container.stop(1_000);
}, 5_000);
