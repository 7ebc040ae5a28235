/**
 * Images that do harm, as guests' images and with agents in them. Takes minutes: they are packed, pushed, pulled and
 * unpacked, and services are started with them.
 * @module-tag release
 * @needs images, @needs go, @needs docker, @needs guest-root, @needs runsc
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { guestRootFolder } from '../../../scripts/suites.ts';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage } from '../../src/images/images.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { dockerMissing, startDockerDaemon, type DockerDaemon } from '../fixtures/docker-daemon.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { HandmadeImages, hostileFiles, layersThatLeadOut } from '../fixtures/hostile-image.ts';
import { descendants } from '../fixtures/process-tree.ts';
import { startRegistry, type TestRegistry } from '../fixtures/registry.ts';
import { runService } from '../fixtures/run-service.ts';
import { deedsFolder, runscOfTests } from '../fixtures/sandbox-kinds.ts';
import { awaitRun, createRun } from '../fixtures/service-client.ts';
import { servedSandboxes } from '../fixtures/served-sandboxes.ts';
import { startService } from '../fixtures/start-service.ts';

const LIMIT_MS = 300_000;
const missing = dockerMissing();
const mark = randomUUID();

describeWhere([{ name: 'an image', missing }], () => {
  let folder = '';
  let registry: TestRegistry;
  let daemon: DockerDaemon;
  let images: HandmadeImages;
  let caFile = '';
  let config: object;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'hostile-images-'));
    chmodSync(folder, 0o755);
    cpSync(deedsFolder, path.join(folder, 'agents'), { recursive: true });
    [registry, daemon] = await Promise.all([startRegistry(), startDockerDaemon()]);
    caFile = path.join(folder, 'ca.pem');
    writeFileSync(caFile, registry.certificate);
    images = new HandmadeImages(registry, 'hostile/image');
    const { folder: files, config: changes } = hostileFiles(folder, mark);
    config = changes;
    const { signal } = new AbortController();
    const program = await findImagesProgram({ signal, onProgress: () => undefined });
    const tool = { program, cacheFolder: path.join(folder, 'packing') };
    const request = {
      base: path.join(guestRootFolder, 'tree'),
      layers: [{ folder: files, target: '/' }],
      tag: `${registry.address}/hostile/image:plain`,
      output: { kind: 'push', trust: { caFile, isInsecure: false } },
    } as const;
    await packImage(tool, request, { signal });
  }, LIMIT_MS);
  afterAll(async () => {
    await Promise.all([registry.close(), daemon.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = async (name: string): Promise<Record<string, string>> => ({
    DOCKER_HOST: daemon.host,
    SERVICE_CACHE_DIR: path.join(folder, `cache-${name}`),
    SERVICE_GUEST_RUNSC: await runscOfTests(),
  });

  describe('with an entry point, a user, a health check and variables that do harm', () => {
    let reference = '';
    beforeAll(async () => {
      reference = await images.push('entered', { from: 'plain', changes: config });
    });

    it(
      'does all of it where it is run by its configuration',
      async () => {
        await new Promise<void>((resolve, reject) => {
          daemon.docker.pull(reference).then((stream) => {
            daemon.docker.modem.followProgress(stream, (error) =>
              error ? reject(error) : resolve(),
            );
          }, reject);
        });
        const container = await daemon.docker.createContainer({
          Image: reference,
          HostConfig: { NetworkMode: 'none' },
        });
        const output = await container.attach({ stream: true, stdout: true });
        await container.start();
        const printed = await new Promise<string>((resolve) =>
          output.once('data', (text) => resolve(String(text))),
        );
        expect(printed).toContain('entered as 0');
        await container.remove({ force: true });
      },
      LIMIT_MS,
    );

    it.each(servedSandboxes)(
      'is nothing but files and variables to guests of $name',
      async ({ name, flags }) => {
        const service = await startService({
          agents: path.join(folder, 'agents'),
          flags: [...flags, `--guest-image=${reference}`, `--registry-ca-file=${caFile}`],
          environment: await environment(name.replaceAll(' ', '-')),
        });
        try {
          await whenHealthy(service.url);
          const did = async (deed: string, words: readonly string[] = []) => {
            const run = await createRun(service.url, { agent_id: 'deeds', input: { deed, words } });
            const { output } = await awaitRun(service.url, run.run_id);
            return (output as { result: { did?: unknown } }).result.did;
          };
          // The image's configuration of programs holds for those within.
          expect(await did('run', ['node', '--eval', '0'])).toBe('');
          const marks = (await did('list_folder', ['/tmp'])) as string[];
          expect(marks.filter((one) => one.endsWith(mark)).toSorted()).toEqual([
            `preloaded-${mark}`,
            `required-${mark}`,
          ]);
          expect(await did('who')).toMatchObject({ uid: 65_532, capabilities: 0 });
          expect(await did('write_file', ['/hostile/volume/file'])).toBeUndefined();
          expect(String(await did('list_processes'))).not.toContain('/hostile/enter');
          // And for none of this machine.
          expect(readdirSync('/tmp').filter((one) => one.endsWith(mark))).toEqual([]);
          for (const { pid, command } of descendants(service.pid)) {
            const variables = environmentOf(pid);
            expect(`${command} ${variables}`).not.toContain('PCPROFILE_OUTPUT');
          }
          const inspected = await Promise.all(
            (await daemon.containers()).map((id) => daemon.docker.getContainer(id).inspect()),
          );
          expect(inspected.map(({ State }) => State.Health?.Status)).toEqual(
            name === 'docker' ? [undefined] : [],
          );
        } finally {
          await service.stop();
        }
      },
      LIMIT_MS,
    );
  });

  describe('with layers that lead out of it', () => {
    // Not in /tmp, which in a sandbox is its own.
    const outside = mkdtempSync('/var/tmp/outside-');
    const victims = { byPath: path.join(outside, 'path'), byLink: path.join(outside, 'link') };
    let layers: ReturnType<typeof layersThatLeadOut>;
    const found = (): string[] => readdirSync(outside).toSorted();
    beforeAll(() => {
      layers = layersThatLeadOut(folder, victims);
    });
    afterAll(() => {
      rmSync(outside, { recursive: true });
    });

    it('writes there where nothing looks after it', () => {
      for (const input of [layers.byPath, layers.byLink]) {
        const target = mkdtempSync(path.join(folder, 'plain-'));
        execFileSync('tar', ['-xPf', '-', '-C', target], { input });
      }
      expect(found()).toEqual(['link', 'path']);
      for (const file of Object.values(victims)) rmSync(file);
    });

    async function read(
      reference: string,
      { sandbox, isOurs = true }: { sandbox: string; isOurs?: boolean },
      words: readonly string[],
    ) {
      const input = JSON.stringify({ deed: 'run', words: ['cat', ...words] });
      return await runService(
        [
          ...['run', path.join(folder, 'agents'), `--sandbox=${sandbox}`, `--input=${input}`],
          ...[`--guest-image=${reference}`, `--data-dir=${path.join(folder, 'data')}`],
          ...(isOurs ? [`--registry-ca-file=${caFile}`] : []),
        ],
        await environment(sandbox),
      );
    }

    it.each([
      { how: 'pulls it', isOurs: false },
      { how: 'is given it', isOurs: true },
    ])(
      'has them within where Docker $how, and nothing outside',
      async ({ isOurs }) => {
        const tag = `out-docker-${isOurs}`;
        const both = { from: 'plain', layers: [layers.byPath, layers.byLink] };
        const reference = await images.push(tag, both);
        const result = await read(reference, { sandbox: 'docker', isOurs }, Object.values(victims));
        expect(JSON.parse(result.stdout)).toMatchObject({ result: { did: 'theirstheirs' } });
        expect(found()).toEqual([]);
      },
      LIMIT_MS,
    );

    it(
      'does not exist, for a reason, where Docker cannot unpack it',
      async () => {
        const reference = await images.push('lost', { from: 'plain', layers: [layers.byLostLink] });
        for (const isOurs of [false, true]) {
          const result = await read(reference, { sandbox: 'docker', isOurs }, []);
          expect(result.stderr.trimEnd().split('\n').at(-1)).toMatch(
            /^Error: The image \S+ (is missing and cannot be pulled|cannot be given to the Docker daemon): ./,
          );
          expect(result.code).toBe(2);
        }
      },
      LIMIT_MS,
    );

    it(
      'is refused with gVisor for its paths, with one sentence, and its links lead to files within',
      async () => {
        const byPath = await images.push('out-path', { from: 'plain', layers: [layers.byPath] });
        const refused = await read(byPath, { sandbox: 'gvisor' }, [victims.byPath]);
        expect(refused.stderr.trimEnd().split('\n').at(-1)).toMatch(
          /^Error: The image is refused: "[./]+\/var\/tmp\/outside-\w+\/path" leads out of the image\.$/,
        );
        expect(refused.code).toBe(2);
        const agents = await runService(
          ['run', `--image=${byPath}`, `--registry-ca-file=${caFile}`, '--sandbox=gvisor'],
          await environment('gvisor'),
        );
        expect(agents).toMatchObject({ code: 2 });
        expect(agents.stderr).toContain('leads out of the image.');

        const byLink = await images.push('out-link', { from: 'plain', layers: [layers.byLink] });
        const result = await read(byLink, { sandbox: 'gvisor' }, [victims.byLink]);
        expect(JSON.parse(result.stdout)).toMatchObject({ result: { did: 'theirs' } });
        expect(found()).toEqual([]);
      },
      LIMIT_MS,
    );
  });
});

/** Nothing for a process that has ended meanwhile. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
