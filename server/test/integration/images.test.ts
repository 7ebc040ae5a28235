// What the service asks of images, against a real registry with its own certificate.
// Takes seconds where Go has to compile the registry.
// @needs images, @needs go
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findImagesProgram } from '../../src/images/find-program.ts';
import { packImage, pullImage, unpackImage } from '../../src/images/images.ts';
import type { ImageProgress, ImageTool, RegistryTrust } from '../../src/images/port.ts';
import { startRegistry, type TestRegistry } from '../fixtures/registry.ts';

const START_LIMIT_MS = 240_000;

let folder: string;
let program: string;
let registry: TestRegistry;
let trust: RegistryTrust;
const signal = new AbortController().signal;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'images-'));
  program = await findImagesProgram({ signal, onProgress: () => undefined });
  registry = await startRegistry();
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, registry.certificate);
  trust = { caFile, isInsecure: false };
}, START_LIMIT_MS);
afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const cache = (name: string): ImageTool => ({ program, cacheFolder: path.join(folder, name) });

/** A folder with one file, as a layer. */
function layer(name: string, target: string): { folder: string; target: string } {
  const source = path.join(folder, name);
  mkdirSync(source, { recursive: true });
  writeFileSync(path.join(source, 'main.py'), `print('${name}')`);
  return { folder: source, target };
}

it('makes an image, pushes it, pulls it elsewhere and unpacks it', async () => {
  const reference = `${registry.address}/agents/guest:1`;
  const made = await packImage(
    cache('one'),
    {
      layers: [layer('base', '/usr/lib/base'), layer('guest', '/opt/agent-runtime/guest')],
      env: { MODE: 'test' },
      entrypoint: ['/bin/python'],
      workingDir: '/opt/agent-runtime',
      user: '1000:1000',
      tag: reference,
      output: { kind: 'push', trust },
    },
    { signal },
  );
  const reports: ImageProgress[] = [];
  const onProgress = (one: ImageProgress): void => void reports.push(one);
  const pulled = await pullImage(cache('two'), { reference, trust }, { signal, onProgress });
  expect(pulled).toEqual({ ...made, size: expect.any(Number), isCached: false });
  expect(reports.at(-1)).toEqual({
    step: 'download',
    done: reports[0]?.total,
    total: reports[0]?.total,
  });
  expect(await pullImage(cache('two'), { reference, trust }, { signal })).toEqual({
    ...made,
    size: 0,
    isCached: true,
  });
  const tree = path.join(folder, 'tree');
  const unpacked = await unpackImage(
    cache('two'),
    { image: pulled.digest, folder: tree },
    { signal },
  );
  expect(unpacked).toEqual({
    digest: made.digest,
    folder: tree,
    isReused: false,
    dropped: {},
    config: {
      env: ['MODE=test'],
      entrypoint: ['/bin/python'],
      cmd: [],
      workingDir: '/opt/agent-runtime',
      user: '1000:1000',
      labels: {},
    },
  });
  expect(readFileSync(path.join(tree, 'opt/agent-runtime/guest/main.py'), 'utf8')).toBe(
    "print('guest')",
  );
});

it.each<[string, () => Parameters<typeof pullImage>[1], string]>([
  [
    'a certificate of an unknown authority',
    () => ({ reference: `${registry.address}/agents/guest:1`, trust: { isInsecure: false } }),
    'certificate_not_trusted',
  ],
  [
    'an image that does not exist',
    () => ({ reference: `${registry.address}/agents/none:1`, trust }),
    'image_not_found',
  ],
  ['a name that looks like a flag', () => ({ reference: '--help', trust }), 'reference_invalid'],
])('fails with the reason for %s', async (_, request, reason) => {
  await expect(pullImage(cache('three'), request(), { signal })).rejects.toMatchObject({
    code: 'image_unavailable',
    message: expect.stringMatching(/^.+\.$/),
    details: { reason },
  });
});

it('ends in the middle of a pull when it is no longer wanted, and leaves no half of anything', async () => {
  // A registry that takes connections and sends nothing.
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo; // it listens
  const controller = new AbortController();
  const reason = new Error('no longer wanted');
  silent.once('connection', () => controller.abort(reason));
  const reference = `127.0.0.1:${port}/agents/guest:1`;
  const tool = cache('four');
  const pulling = pullImage(tool, { reference, trust }, { signal: controller.signal });
  await expect(pulling).rejects.toBe(reason);
  expect(readdirSync(path.join(tool.cacheFolder, 'partial'))).toEqual([]);
  silent.close();
});
