/**
 * The first `run` in a sandbox, where its images have not been built. They are really built, of a root tree that lies in the
 * cache as the image of Docker Hub, which takes half a minute for each sandbox.
 * @module-tag release
 * @needs images, @needs go, @needs docker, @needs guest-root, @needs runsc
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { pythonRootTree } from '../../../scripts/suites.ts';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage } from '../../src/images/images.ts';
import { dockerMissing, startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { runService, type CommandResult } from '../fixtures/run-service.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';

const LIMIT_MS = 300_000;
const missing = dockerMissing();
const sandboxes = ['docker', 'gvisor'];

describe.skipIf(missing !== undefined)('the first run without images', () => {
  let daemon: DockerDaemon;
  let folder = '';

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'first-images-'));
    chmodSync(folder, 0o755);
    cpSync(fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url)), agents(), {
      recursive: true,
    });
    daemon = await startDockerDaemon();
    const signal = new AbortController().signal;
    const program = await findImagesProgram({ signal, onProgress: () => undefined });
    const request = { base: pythonRootTree, layers: [], tag: 'python:3.12-slim' };
    for (const sandbox of sandboxes) {
      const cacheFolder = path.join(cacheOf(sandbox), 'images');
      await packImage({ program, cacheFolder }, request, { signal });
    }
  }, LIMIT_MS);

  afterAll(async () => {
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const agents = (): string => path.join(folder, 'agents');
  /** One for each: what is built for Docker lies in the cache, too, where gVisor looks first. */
  const cacheOf = (sandbox: string): string => path.join(folder, `cache-${sandbox}`);

  async function echo(sandbox: string, ...flags: string[]): Promise<CommandResult> {
    const words = [
      ...['run', agents(), '--agent=echo', '--input={"text":"there"}', `--sandbox=${sandbox}`],
      ...[`--data-dir=${path.join(folder, `data-${sandbox}`)}`, ...flags],
    ];
    return await runService(words, {
      DOCKER_HOST: daemon.host,
      SERVICE_CACHE_DIR: cacheOf(sandbox),
      SERVICE_GUEST_RUNSC: await runscOfTests(),
    });
  }

  it.each(sandboxes)(
    'in %s tries to pull them, reports how to get them, and builds them with --install',
    async (sandbox) => {
      const image = /agent-runtime-guest-python:\d\S+/.source;
      const without = await echo(sandbox);
      expect(without.stderr).toMatch(new RegExp(`^the image ${image} cannot be pulled: .+$`, 'm'));
      expect(without.stderr).toMatch(
        new RegExp(
          `^Error: Images are missing: ${image}\\. Start with --install, or build them: service image build --sandbox ${sandbox}$`,
          'm',
        ),
      );
      expect({ code: without.code, stdout: without.stdout }).toEqual({ code: 2, stdout: '' });

      const installing = await echo(sandbox, '--install');
      expect(installing.stderr).toMatch(
        new RegExp(`^Images are missing: ${image}\\. Building: service image build`, 'm'),
      );
      expect(installing.stderr).toMatch(/^ {2}looking for the image python:3\.12-slim$/m);
      expect(JSON.parse(installing.stdout)).toMatchObject({ out: 'hello there' });
      expect(installing.code).toBe(0);

      const next = await echo(sandbox);
      expect(next.stderr).not.toMatch(/missing|cannot be pulled|python:3/);
      expect(JSON.parse(next.stdout)).toMatchObject({ out: 'hello there' });
    },
    LIMIT_MS,
  );
});
