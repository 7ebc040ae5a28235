/**
 * A container that the daemon has and the service does not know is removed. Takes seconds: the Docker daemon is real.
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
  /** Requests that get this status instead of the daemon's response, in this order. */
  let refusals: { request: string; status: number }[] = [];
  let own: OwnContainers;

  beforeAll(async () => {
    daemon = await startDockerDaemon();
    folder = mkdtempSync(path.join(tmpdir(), 'strays-'));
    front = createServer((socket) => {
      relay(socket, daemon.host, {
        isCut: (line) => line === cutAt,
        refusal: (line) => (refusals[0]?.request === line ? refusals.shift()?.status : undefined),
      });
    });
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
    refusals = [];
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

  it('when the daemon had begun to remove it and failed', async () => {
    const { container, remove } = await own.create(settings);
    refusals = [{ request: `DELETE /containers/${container.id}`, status: 409 }];
    await remove();
    expect(await daemon.containers()).toEqual([container.id]);
    const next = await own.create(settings);
    expect(await daemon.containers()).toEqual([next.container.id]);
  });

  it('at the end, also when the daemon refuses it at first', async () => {
    const { container } = await own.create(settings);
    const request = `DELETE /containers/${container.id}`;
    refusals = [
      { request, status: 409 },
      { request, status: 500 },
    ];
    await own.close();
    expect(refusals).toEqual([]);
    expect(await daemon.containers()).toEqual([]);
  });

  it('without waiting for a daemon that is gone', async () => {
    const gone = new OwnContainers(new Docker({ socketPath: path.join(folder, 'none.sock') }));
    await expect(gone.close()).resolves.toBeUndefined();
  }, 5_000);
});

interface Faults {
  isCut: (request: string) => boolean;
  /** The status of a response in place of the daemon's. */
  refusal: (request: string) => number | undefined;
}

/** Passes bytes on between a client and the daemon, and fails some requests. */
function relay(socket: Socket, host: string, { isCut, refusal }: Faults): void {
  const daemon = connect(host.slice('unix://'.length));
  let isLost = false;
  socket.on('data', (chunk: Buffer) => {
    const [method, target = ''] = chunk.toString('latin1').split(' ', 2);
    const request = `${method} ${target.split('?', 1)[0]}`;
    const status = refusal(request);
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    isLost ||= isCut(request);
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
