import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { dockerSocket } from './docker-endpoint.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'docker-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function context(name: string, host: string): Promise<void> {
  const hash = createHash('sha256').update(name).digest('hex');
  const meta = path.join(folder, 'contexts/meta', hash);
  await mkdir(meta, { recursive: true });
  const text = JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } });
  await writeFile(path.join(meta, 'meta.json'), text);
}

describe('the socket of the daemon', () => {
  it('is that of DOCKER_HOST before a context, and the usual one without any', async () => {
    await context('own', 'unix:///run/user/1000/docker.sock');
    const environment = { DOCKER_CONFIG: folder };
    expect(await dockerSocket(environment)).toBe('/var/run/docker.sock');
    const named = { ...environment, DOCKER_CONTEXT: 'own' };
    expect(await dockerSocket(named)).toBe('/run/user/1000/docker.sock');
    expect(await dockerSocket({ ...named, DOCKER_HOST: 'unix:///x.sock' })).toBe('/x.sock');
    await writeFile(path.join(folder, 'config.json'), JSON.stringify({ currentContext: 'own' }));
    expect(await dockerSocket(environment)).toBe('/run/user/1000/docker.sock');
  });

  it.each([
    ['tcp://example.org:2375', 'DOCKER_HOST is tcp://example.org:2375'],
    ['ssh://ada:secret@example.org', 'DOCKER_HOST is ssh://example.org'],
  ])('cannot be %s, which is another machine', async (host, part) => {
    await expect(dockerSocket({ DOCKER_HOST: host })).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: expect.stringContaining(part) as string,
    });
  });

  it('cannot be that of a context of another machine, or of one that does not exist', async () => {
    await context('far', 'ssh://example.org');
    const asked = (name: string) => dockerSocket({ DOCKER_CONFIG: folder, DOCKER_CONTEXT: name });
    await expect(asked('far')).rejects.toThrow('the Docker context far is ssh://example.org');
    await expect(asked('none')).rejects.toThrow('There is no Docker context none');
  });
});
