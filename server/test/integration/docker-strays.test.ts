/**
 * A container that a daemon made but never reported is removed. Takes seconds: the Docker daemon is real.
 * @module-tag release
 * @needs guest-root
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

import { OwnContainers } from '../../src/guest/sandbox/docker/own-containers.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { type DockerDaemon, GUEST_IMAGE, startDockerDaemon } from '../fixtures/docker-daemon.ts';
import { servedDocker } from '../fixtures/served-sandboxes.ts';

const START_LIMIT_MS = 120_000;
const settings = { Image: GUEST_IMAGE, Entrypoint: ['sleep', '100'], Cmd: [] };

describeWhere([servedDocker], () => {
  let daemon: DockerDaemon;
  let folder = '';
  let front: Server;
  /** The request that is cut: a removal before it arrives, any other one before its response comes. */
  let cutAt = '';
  let own: OwnContainers;

  beforeAll(async () => {
    daemon = await startDockerDaemon();
    folder = mkdtempSync(path.join(tmpdir(), 'strays-'));
    front = createServer((socket) => relay(socket, daemon.host, (line) => line === cutAt));
    const socketPath = path.join(folder, 'docker.sock');
    await new Promise<void>((resolve) => front.listen(socketPath, resolve));
  }, START_LIMIT_MS);
  afterAll(async () => {
    front.close();
    rmSync(folder, { recursive: true, force: true });
    await daemon.close();
  }, START_LIMIT_MS);
  beforeEach(() => {
    own = new OwnContainers(new Docker({ socketPath: path.join(folder, 'docker.sock') }));
  });
  afterEach(async () => {
    cutAt = '';
    await own.close();
  });

  it('before the next one is made, and no other one', async () => {
    const first = await own.create(settings);
    cutAt = 'POST /containers/create';
    await expect(own.create(settings)).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await daemon.containers()).toHaveLength(2);
    cutAt = '';
    const next = await own.create(settings);
    const expected = [first.container.id, next.container.id];
    expect((await daemon.containers()).toSorted()).toEqual(expected.toSorted());
  });

  it('at the end, and no container of another sandbox', async () => {
    const other = new OwnContainers(daemon.docker);
    const { container } = await other.create(settings);
    cutAt = 'POST /containers/create';
    await expect(own.create(settings)).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await daemon.containers()).toHaveLength(2);
    await own.close();
    expect(await daemon.containers()).toEqual([container.id]);
    await other.close();
    expect(await daemon.containers()).toEqual([]);
  });

  it('when its removal did not arrive', async () => {
    const { container, remove } = await own.create(settings);
    cutAt = `DELETE /containers/${container.id}`;
    await remove();
    expect(await daemon.containers()).toEqual([container.id]);
    cutAt = '';
    const next = await own.create(settings);
    expect(await daemon.containers()).toEqual([next.container.id]);
  });
});

/** Forwards requests to the daemon, and cuts the connection of one request. */
function relay(socket: Socket, host: string, isCut: (request: string) => boolean): void {
  const daemon = connect(host.slice('unix://'.length));
  let isLost = false;
  socket.on('data', (chunk: Buffer) => {
    const [method, target = ''] = chunk.toString('latin1').split(' ', 2);
    isLost ||= isCut(`${method} ${target.split('?', 1)[0]}`);
    if (isLost && method === 'DELETE') socket.destroy();
    else daemon.write(chunk);
  });
  daemon.on('data', (chunk: Buffer) => {
    if (isLost) socket.destroy();
    else socket.write(chunk);
  });
  for (const [one, peer] of [
    [socket, daemon],
    [daemon, socket],
  ] as const) {
    one.on('error', () => undefined); // cut
    one.on('close', () => peer.destroy());
  }
}
