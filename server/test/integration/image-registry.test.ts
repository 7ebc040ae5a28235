/**
 * Which registries a service trusts, and what it does about a bad one: images come from a registry with its
 * own certificate, whose layers are damaged or cut on the way. Takes minutes: an image with Python in it is packed, pulled and
 * unpacked again and again.
 * @module-tag release
 * @needs images, @needs go, @needs guest-root
 */
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { pythonRootTree } from '../../../scripts/suites.ts';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage } from '../../src/images/images.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { CUT_AFTER, startRegistryFront, type RegistryFront } from '../fixtures/registry-front.ts';
import { startRegistry, type TestRegistry } from '../fixtures/registry.ts';
import { runService, type CommandResult } from '../fixtures/run-service.ts';
import { servedDocker, servedGvisor, type SandboxNeeds } from '../fixtures/served-sandboxes.ts';

interface EchoOptions {
  from?: string;
  cache?: string;
  environment?: Record<string, string>;
}

const agents = fileURLToPath(new URL('../fixtures/docker-agents', import.meta.url));
const IMAGE = 'agents/guest:1';
const LIMIT_MS = 300_000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let folder = '';
let registry: TestRegistry;
let front: RegistryFront;
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'image-registry-'));
  chmodSync(folder, 0o755);
  cpSync(agents, at('agents'), { recursive: true });
  registry = await startRegistry();
  front = await startRegistryFront(registry);
  writeFileSync(at('ca.pem'), registry.certificate);
  writeFileSync(at('front.pem'), front.certificate);
  writeFileSync(at('foreign.pem'), rootCertificates[0] ?? '');
  writeFileSync(at('broken.pem'), registry.certificate.replace(/\n.{20}/, '\n'));
  const { signal } = new AbortController();
  const program = await findImagesProgram({ signal, onProgress: () => undefined });
  const output = { kind: 'push', trust: { caFile: at('ca.pem'), isInsecure: false } } as const;
  const tool = { program, cacheFolder: at('packing') };
  const tag = `${registry.address}/${IMAGE}`;
  await packImage(tool, { base: pythonRootTree, layers: [], tag, output }, { signal });
}, LIMIT_MS);

afterAll(async () => {
  await front.close();
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describeWhere([servedDocker, servedGvisor], (kind) => {
  let needs: SandboxNeeds;
  beforeAll(async () => {
    needs = await kind.setUp();
  }, LIMIT_MS);
  afterAll(async () => {
    await needs.close();
  });

  // One program pulls for both: what it does about a bad registry is shown with the other by day.
  const isRepeated = kind === servedDocker && servedGvisor.missing === undefined;
  const once = { timeout: LIMIT_MS, ...(isRepeated && { tags: 'nightly' }) };

  /** Runs an agent in the image, with a cache of this name. */
  async function echo(
    flags: readonly string[],
    { from = registry.address, cache = 'cache', environment = {} }: EchoOptions = {},
  ): Promise<CommandResult> {
    const words = [
      ...['run', at('agents'), '--agent=echo', '--input={"text":"there"}'],
      ...[`--sandbox=${kind.sandbox}`, `--guest-image=${from}/${IMAGE}`, ...flags],
      `--data-dir=${at(`data-${kind.sandbox}`)}`,
    ];
    const SERVICE_CACHE_DIR = at(`${cache}-${kind.sandbox}`);
    return await runService(words, { ...needs.environment, SERVICE_CACHE_DIR, ...environment });
  }

  /** As on a machine that never had it. */
  async function forget(from: string, cache: string): Promise<void> {
    rmSync(at(`${cache}-${kind.sandbox}/images`), { recursive: true, force: true });
    await needs.daemon?.docker
      .getImage(`${from}/${IMAGE}`)
      .remove({ force: true })
      .catch(() => undefined);
  }

  it.each([
    ['a file of their authority', () => `--registry-ca-file=${at('ca.pem')}`, {}],
    ['their authority as base64', () => `--registry-ca-data=${base64(registry.certificate)}`, {}],
    ['no check', () => '--registry-insecure', { SERVICE_TLS_ALLOW_INSECURE: 'true' }],
  ])('are pulled with %s', once, async (_, flag, environment) => {
    await forget(registry.address, 'cache');
    const { code, stdout, stderr } = await echo([flag()], { environment });
    expect(stderr).toContain(`downloading the image ${registry.address}/${IMAGE}`);
    expect(JSON.parse(stdout)).toMatchObject({ out: 'hello there' });
    expect(code).toBe(0);
  });

  it.each([
    [
      'a file of another authority',
      () => [`--registry-ca-file=${at('foreign.pem')}`],
      /certificate/,
    ],
    [
      'another authority as base64',
      () => [`--registry-ca-data=${base64(rootCertificates[0] ?? '')}`],
      /certificate/,
    ],
    [
      'a broken file',
      () => [`--registry-ca-file=${at('broken.pem')}`],
      /^Error: --registry-ca-file holds no PEM certificate\.$/m,
    ],
    [
      'broken base64',
      () => ['--registry-ca-data=bm90aGluZw=='],
      /^Error: --registry-ca-data holds no PEM certificate as base64\.$/m,
    ],
    [
      'a file that does not exist',
      () => [`--registry-ca-file=${at('nowhere.pem')}`],
      /^Error: --registry-ca-file names a file that cannot be read: .*nowhere\.pem$/m,
    ],
    [
      'no check, which is not allowed',
      () => ['--registry-insecure'],
      /^Error: --registry-insecure checks no certificate: it is taken only with SERVICE_TLS_ALLOW_INSECURE=true\.$/m,
    ],
    [
      'two authorities',
      () => [
        `--registry-ca-file=${at('ca.pem')}`,
        `--registry-ca-data=${base64(registry.certificate)}`,
      ],
      /^Error: --registry-ca-file and --registry-ca-data exclude each other\.$/m,
    ],
  ])('are not pulled with %s, with one sentence', once, async (_, flags, sentence) => {
    await forget(registry.address, 'wrong');
    const { code, stderr } = await echo(flags(), { cache: 'wrong' });
    expect(stderr).toMatch(sentence);
    expect(stderr.match(/^Error: .*$/gm)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it(
    'are not used when a layer is damaged, and pulled anew when it is not',
    async () => {
      const options = { from: front.address, cache: 'front' };
      const flags = [`--registry-ca-file=${at('front.pem')}`];
      await forget(front.address, 'front');
      front.behaves('damages');
      const damaged = await echo(flags, options);
      expect(damaged.stderr).toMatch(/^Error: The layer sha256:\w+ is damaged: .*$/m);
      expect(damaged.code).toBe(2);
      front.behaves('well');
      expect(JSON.parse((await echo(flags, options)).stdout)).toMatchObject({ out: 'hello there' });
    },
    LIMIT_MS,
  );

  it('are pulled from where the connection broke', once, async () => {
    await forget(front.address, 'front');
    front.behaves(2);
    const flags = [`--registry-ca-file=${at('front.pem')}`];
    const { stdout, stderr } = await echo(flags, { from: front.address, cache: 'front' });
    expect(stderr).not.toMatch(/^Error: /m);
    expect(JSON.parse(stdout)).toMatchObject({ out: 'hello there' });
    // What was on its way when the connection broke may be lost.
    const offsets = front.ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1] ?? 0));
    const [first, second = 0, third = 0, ...others] = offsets;
    expect([first, others]).toEqual([0, []]);
    expect(second).toBeGreaterThan(0);
    expect(second).toBeLessThanOrEqual(CUT_AFTER);
    expect(third).toBeGreaterThan(second);
    expect(third).toBeLessThanOrEqual(2 * CUT_AFTER);
  });
});
