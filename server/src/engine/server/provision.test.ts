import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildEngine, findBuiltEngine } from './build-engine.ts';
import { provisionEngine } from './provision.ts';
import { executableName } from '../../native/platform-package.ts';
import { hashGoSources } from '../../native/build-go.ts';
import { cliVersion, findCliOnPath } from './temporal-cli.ts';

const signal = new AbortController().signal;
let folder = '';
let progress: string[] = [];
const onProgress = (message: string): void => void progress.push(message);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'provision-'));
  progress = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content = ''): string {
  const target = path.join(folder, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}

function program(name: string, body: string): string {
  const target = file(name, `#!/bin/sh\n${body}\n`);
  chmodSync(target, 0o755);
  return target;
}

/** A checkout with sources, and with an engine that was built from them. */
function checkoutWithEngine(): { checkout: string; engine: string } {
  const checkout = path.join(folder, 'checkout');
  file('checkout/server/native/engine/main.go', 'package main');
  const hash = hashGoSources(path.join(checkout, 'server/native/engine'));
  const engine = file(`checkout/.cache/native/${hash}-go1.26.8/${executableName('engine')}`);
  return { checkout, engine };
}

test('takes the engine of the package before the one built before', async () => {
  const { checkout, engine } = checkoutWithEngine();
  const resources = path.join(folder, 'resources');
  const packaged = file(
    `resources/engine/${process.platform}-${process.arch}/${executableName('engine')}`,
  );
  const options = { checkout, cacheFolder: folder, signal, onProgress };
  expect(await provisionEngine({ ...options, resources })).toEqual({
    kind: 'embedded',
    path: packaged,
    source: 'packaged',
  });
  expect(await provisionEngine(options)).toEqual({
    kind: 'embedded',
    path: engine,
    source: 'built',
  });
  expect(progress).toEqual([
    `engine: the embedded engine of this package (${packaged})`,
    `engine: the embedded engine built before (${engine})`,
  ]);
});

test("takes the engine that npm installed for this platform, as a file of the server's package finds it", async () => {
  const { os, cpu } = { os: process.platform, cpu: process.arch };
  const installed = `project/node_modules/@agent-runtime/engine-${os}-${cpu}`;
  file(`${installed}/package.json`, '{}');
  const engine = file(`${installed}/bin/${executableName('engine')}`);
  const requiredFrom = file('project/node_modules/@agent-runtime/server/dist/engine/x.js');
  const options = { cacheFolder: folder, signal, onProgress };
  expect(await provisionEngine({ ...options, requiredFrom })).toEqual({
    kind: 'embedded',
    path: engine,
    source: 'packaged',
  });
});

test('takes nothing but the engine that the configuration names', async () => {
  const { checkout } = checkoutWithEngine();
  const configured = path.join(folder, 'nowhere');
  const options = { configured, checkout, cacheFolder: folder, signal, onProgress };
  await expect(provisionEngine(options)).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: `No engine was found and none could be made: the configured engine ${configured} does not exist.`,
  });
  writeFileSync(configured, '');
  expect(await provisionEngine(options)).toMatchObject({ path: configured, source: 'configured' });
});

test('warns of an engine that any user of the machine may use, and takes none while callers must show credentials', async () => {
  file(`temporal-cli-${cliVersion}/temporal-sdk-typescript-1.24.0`);
  const options = { cacheFolder: folder, signal, onProgress };
  expect(await provisionEngine(options)).toMatchObject({ kind: 'cli' });
  expect(progress[1]).toBe(
    "Warning: this engine asks for no credentials: every user of this machine can reach its port and run code as this service's user; the embedded engine serves this service alone.",
  );
  await expect(provisionEngine({ ...options, isGuarded: true })).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: `No engine was found and none could be made: no engine for ${process.platform}-${process.arch} in this package; no engine was built before; neither the temporal command nor the Temporal CLI is taken while the API asks for credentials, because any user of this machine could pass by them at its port; there are no sources to build it from.`,
  });
});

test('an engine built from other sources is not taken', () => {
  const { checkout, engine } = checkoutWithEngine();
  expect(findBuiltEngine(checkout)).toBe(engine);
  file('checkout/server/native/engine/main_test.go', 'package main');
  file('checkout/server/native/engine/testdata/older.db');
  file('checkout/server/native/engine/README.md');
  expect(findBuiltEngine(checkout)).toBe(engine);
  file('checkout/server/native/engine/run.go', 'package main');
  expect(findBuiltEngine(checkout)).toBeUndefined();
});

test('the temporal command counts only with the server version of the engine', async () => {
  const same = program('same', 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.50.0)"');
  const older = program('older', 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"');
  expect(await findCliOnPath(signal, same)).toBe(same);
  expect(await findCliOnPath(signal, older)).toEqual({
    reason: 'the temporal command on PATH has server 1.29, not 1.32.0',
  });
  expect(await findCliOnPath(signal, path.join(folder, 'none'))).toEqual({
    reason: 'no temporal command on PATH',
  });
});

test('a build that cannot be made reports why in one sentence', async () => {
  file('checkout/server/native/engine/main.go', 'package main');
  const options = { checkout: path.join(folder, 'checkout'), signal, onProgress };
  await expect(buildEngine({ ...options, go: path.join(folder, 'none') })).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: 'Go is not installed; it is needed to build the engine (https://go.dev/doc/install).',
  });
  const offline = program(
    'go',
    '[ "$1" = env ] && echo go1.26.8 && exit\necho "go: example.org/x@v1: dial tcp: lookup proxy: no such host" >&2\nexit 1',
  );
  await expect(buildEngine({ ...options, go: offline })).rejects.toMatchObject({
    code: 'engine_unavailable',
    message:
      "The engine could not be built because Go's module proxy cannot be reached: go: example.org/x@v1: dial tcp: lookup proxy: no such host",
  });
});

test('a build is kept and not made twice', async () => {
  file('checkout/server/native/engine/main.go', 'package main');
  const go = program(
    'go',
    '[ "$1" = env ] && echo go1.26.8 && exit\nwhile [ "$1" != -o ]; do shift; done\necho built > "$2"',
  );
  const options = { checkout: path.join(folder, 'checkout'), go, signal, onProgress };
  const first = await buildEngine(options);
  const firstProgress = progress.splice(0);
  expect([await buildEngine(options), findBuiltEngine(options.checkout), progress]).toEqual([
    first,
    first,
    [],
  ]);
  expect(firstProgress).toEqual([
    'building the engine with Go, which takes minutes the first time',
    'built the engine in 0 s',
  ]);
});
