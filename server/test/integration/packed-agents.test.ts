/**
 * Agents that are served from an image, which was made of a folder or by a stranger. Takes a minute: packages are installed,
 * images packed, pushed, pulled and unpacked.
 * @module-tag release
 * @needs images, @needs go, @needs docker, @needs guest-root, @needs runsc
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { pythonRootTree } from '../../../scripts/suites.ts';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage } from '../../src/images/images.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { dockerMissing, startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { startRegistry, type TestRegistry } from '../fixtures/registry.ts';
import { runService, type CommandResult } from '../fixtures/run-service.ts';
import { runscOfTests } from '../fixtures/sandbox-kinds.ts';

const LIMIT_MS = 300_000;
const missing = dockerMissing();
const signal = new AbortController().signal;
const kinds = ['docker', 'gvisor'] as const;

describeWhere([{ name: 'agents in an image', missing }], () => {
  let folder = '';
  let registry: TestRegistry;
  let daemon: DockerDaemon;
  let base = '';
  let caFile = '';

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'packed-agents-'));
    chmodSync(folder, 0o755);
    [registry, daemon] = await Promise.all([startRegistry(), startDockerDaemon()]);
    caFile = path.join(folder, 'ca.pem');
    writeFileSync(caFile, registry.certificate);
    base = `${registry.address}/agents/base:1`;
    await pack(base, pythonRootTree, []);
  }, LIMIT_MS);

  afterAll(async () => {
    await Promise.all([registry.close(), daemon.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** An image of the registry, as anybody may make it. */
  async function pack(
    tag: string,
    from: string,
    layers: { folder: string; target: string }[],
  ): Promise<void> {
    const program = await findImagesProgram({ signal, onProgress: () => undefined });
    const tool = { program, cacheFolder: path.join(folder, 'packing') };
    const output = { kind: 'push', trust: { caFile, isInsecure: false } } as const;
    await packImage(tool, { base: from, layers, tag, output }, { signal });
  }

  async function service(
    sandbox: (typeof kinds)[number],
    words: readonly string[],
    cache = sandbox as string,
  ): Promise<CommandResult> {
    const flags = [`--sandbox=${sandbox}`, `--registry-ca-file=${caFile}`];
    return await runService([...words, ...flags], {
      DOCKER_HOST: daemon.host,
      SERVICE_CACHE_DIR: path.join(folder, `cache-${cache}`),
      SERVICE_DATA_DIR: path.join(folder, `data-${cache}`),
      SERVICE_GUEST_RUNSC: await runscOfTests(),
    });
  }

  /** A folder with a requirement, and a file of variables that no other user may read. */
  function agentFolder(): string {
    const agents = path.join(folder, 'agents');
    if (existsSync(agents)) return agents;
    const source = fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url));
    cpSync(source, agents, { recursive: true });
    writeFileSync(path.join(agents, '.env'), 'SECRET=1\n');
    writeFileSync(path.join(agents, 'requirements.txt'), 'toolz==1.0.0\n');
    return agents;
  }

  it.each(kinds)(
    'are packed with their packages, pushed, and served by %s without the folder',
    async (sandbox) => {
      const tag = `${registry.address}/agents/packed-${sandbox}:1`;
      const words = ['image', 'pack', agentFolder(), `--tag=${tag}`, `--base=${base}`, '--push'];
      const packed = await service(sandbox, words);
      expect(packed.stderr).toContain('Left out: .env');
      expect(packed.stdout).toMatch(new RegExp(`^${tag} {2}sha256:\\w+ {2}from ${base}\n$`));
      expect(packed.code).toBe(0);

      const run = ['run', `--image=${tag}`, '--agent=echo', '--input={"text":"there"}'];
      const result = await service(sandbox, run, `fresh-${sandbox}`);
      expect(JSON.parse(result.stdout)).toMatchObject({ out: 'hello there' });
      expect(result.stderr).not.toContain("installing the agents'");
      expect(result.code).toBe(0);
    },
    LIMIT_MS,
  );

  const graphs = { echo: './deeds.py:echo' };

  it.each([
    ['no agents', undefined, /The image has no agents in \/agent/],
    [
      'a link for the agents',
      'link',
      /The image has no agents in \/agent|no folder|\/agent cannot be read/,
    ],
    [
      'a manifest that reaches for folders of this machine',
      { graphs, dependencies: ['../../../..'] },
      /\/agent\/langgraph.json: dependencies: "[./]+" is outside of the image's agent folder/,
    ],
    [
      'a manifest that reaches for files of this machine',
      { graphs, env: '/etc/hostname' },
      /\/agent\/langgraph.json: env: "\/etc\/hostname" is outside of the image's agent folder/,
    ],
  ])(
    'are refused with %s, with one sentence and without a run',
    async (name, manifest, sentence) => {
      const tag = `${registry.address}/hostile/${name.replaceAll(' ', '-')}:1`;
      const layer = mkdtempSync(path.join(folder, 'layer-'));
      if (manifest === 'link') symlinkSync('/etc', path.join(layer, 'agent'));
      else if (manifest !== undefined) {
        mkdirSync(path.join(layer, 'agent'));
        writeFileSync(path.join(layer, 'agent/langgraph.json'), JSON.stringify(manifest));
        writeFileSync(path.join(layer, 'agent/deeds.py'), '');
      }
      await pack(tag, base, [{ folder: layer, target: '/' }]);
      for (const sandbox of kinds) {
        const result = await service(sandbox, ['run', `--image=${tag}`, '--input={}'], 'hostile');
        expect(result.stderr).toMatch(sentence);
        expect(result.stderr).not.toContain(folder);
        expect(result.code).toBe(2);
      }
    },
    LIMIT_MS,
  );
});
