/**
 * Images that are made for sandboxes, and those with MCP servers of a registry. Takes a minute: an image with Python in it
 * is packed, pulled and unpacked.
 * @module-tag release
 * @needs images, @needs go, @needs docker, @needs guest-root, @needs runsc
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { pythonRootTree } from '../../../scripts/suites.ts';
import { makeMark } from '../../src/guest/process/guest-mark.ts';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage } from '../../src/images/images.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { dockerMissing, startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { startRegistry, type TestRegistry } from '../fixtures/registry.ts';
import { runService } from '../fixtures/run-service.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';

const START_LIMIT_MS = 300_000;
const missing = dockerMissing();
const signal = new AbortController().signal;
const quiet = { signal, onProgress: () => undefined };
describeWhere([{ name: 'images of a registry', missing }], () => {
  let folder = '';
  let registry: TestRegistry;
  let daemon: DockerDaemon;
  let reference = '';
  let caFile = '';

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sandbox-images-'));
    chmodSync(folder, 0o755);
    cpSync(fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url)), agents(), {
      recursive: true,
    });
    const program = await findImagesProgram(quiet);
    [registry, daemon] = await Promise.all([startRegistry(), startDockerDaemon()]);
    caFile = path.join(folder, 'ca.pem');
    writeFileSync(caFile, registry.certificate);
    reference = `${registry.address}/agents/guest:1`;
    const output = { kind: 'push', trust: { caFile, isInsecure: false } } as const;
    const tool = { program, cacheFolder: path.join(folder, 'packing') };
    await packImage(tool, { base: pythonRootTree, layers: [], tag: reference, output }, { signal });
  }, START_LIMIT_MS);

  afterAll(async () => {
    await Promise.all([registry.close(), daemon.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const agents = (): string => path.join(folder, 'agents');

  it.each(['docker', 'gvisor'] as const)(
    'of this version are made for %s by one command, and used without a further word',
    async (sandbox) => {
      const environment = {
        DOCKER_HOST: daemon.host,
        SERVICE_CACHE_DIR: path.join(folder, `cache-${sandbox}`),
        SERVICE_GUEST_RUNSC: await runscOfTests(),
      };
      const run = ['run', agents(), '--agent=echo', '--input={"text":"there"}'];
      const data = path.join(folder, `data-of-built-${sandbox}`);
      const base = `--base=python=${pythonRootTree}`;
      const built = await runService(['image', 'build', base, `--sandbox=${sandbox}`], environment);
      expect(built.stdout).toMatch(/^agent-runtime-guest-python:\S+ {2}sha256:\w+ {2}from \S+\n$/);
      expect(built.code).toBe(0);
      const words = [...run, `--sandbox=${sandbox}`, `--data-dir=${data}`];
      expect(JSON.parse((await runService(words, environment)).stdout)).toMatchObject({
        out: 'hello there',
      });
    },
    START_LIMIT_MS,
  );

  it.each(['docker', 'gvisor'] as const)(
    'with MCP servers are unpacked for agents in %s, which start them, and removed with the service',
    async (sandbox) => {
      const example = fileURLToPath(new URL('../../../examples/mcp-tools', import.meta.url));
      const tools = `${registry.address}/agents/tools:${sandbox}`;
      const output = { kind: 'push', trust: { caFile, isInsecure: false } } as const;
      const tool = {
        program: await findImagesProgram(quiet),
        cacheFolder: path.join(folder, 'packing'),
      };
      const layers = [{ folder: path.join(example, 'tools'), target: '/' }];
      await packImage(tool, { layers, tag: tools, output }, { signal });
      const temporary = path.join(folder, `temporary-${sandbox}`);
      mkdirSync(temporary);
      // As a service that was killed leaves it: no process has this number.
      const lost = path.join(temporary, 'agent-mcp-tools-lost');
      mkdirSync(lost);
      writeFileSync(path.join(lost, 'owner'), makeMark().replace(/^\d+\/[^/]+/, '4194304/1'));

      const words = ['run', example, '--input={"text":"one two three"}', `--sandbox=${sandbox}`];
      const flags = [
        '--bundle-mcp-tools',
        `--mcp-tools-image=${tools}`,
        `--guest-image=${reference}`,
      ];
      const result = await runService([...words, ...flags, `--registry-ca-file=${caFile}`], {
        DOCKER_HOST: daemon.host,
        SERVICE_CACHE_DIR: path.join(folder, `cache-${sandbox}`),
        SERVICE_DATA_DIR: path.join(folder, `data-of-tools-${sandbox}`),
        SERVICE_GUEST_RUNSC: await runscOfTests(),
        TMPDIR: temporary,
      });
      // With what it printed, when it failed.
      expect(result).toMatchObject({ code: 0 });
      expect(JSON.parse(result.stdout)).toMatchObject({ words: 3 });
      expect(readdirSync(temporary).filter((name) => name.includes('mcp'))).toEqual([]);
    },
    START_LIMIT_MS,
  );
});
