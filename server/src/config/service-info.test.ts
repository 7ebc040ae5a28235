import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';
import { serviceInfo } from './service-info.ts';

const packages = {
  language: 'python',
  directory: '/agents',
  because: 'There is no .venv.',
  command: 'python3 -m venv .venv',
};
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'info-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

function info(isLoopback: boolean, hasManifestAuth = false): Record<string, unknown> {
  const { config } = loadConfig({
    sourcePath: folder,
    workingDir: folder,
    flags: new Map([['guest.sandbox', 'none']]),
    environment: {
      XDG_DATA_HOME: '/data',
      XDG_CACHE_HOME: '/cache',
      SERVICE_API_AUTH_TEST_MODE: 'true',
      SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '50',
    },
  });
  return serviceInfo(config, {
    isLoopback,
    hasManifestAuth,
    url: 'http://127.0.0.1:8090',
    manifestWarnings: ['agent.json: unknown key "graph"'],
    missingPackages: [packages],
  });
}

it('lists which parts are on', () => {
  expect(info(false)).toEqual({
    flags: {
      auth: 'test',
      test_mode: true,
      store: 'off',
      history: 'sqlite',
      sandbox: 'none',
      reload: false,
      max_checkpoint_history: 50,
      max_checkpoint_bytes: 1_048_576,
      external_storage: false,
    },
  });
});

it("states that the manifest's auth decides, also in test mode", () => {
  expect(info(false, true)).toMatchObject({ flags: { auth: 'manifest', test_mode: true } });
});

it('names the folder to callers on the same machine', () => {
  expect(info(true)).toMatchObject({
    url: 'http://127.0.0.1:8090',
    folder,
    manifest_warnings: ['agent.json: unknown key "graph"'],
    missing_packages: [packages],
  });
});

it('does not expose how the engine is reached', () => {
  expect(info(true)['engine']).toEqual({ namespace: 'default' });
});

it('names the image whose agents are served', () => {
  const { config } = loadConfig({
    workingDir: folder,
    flags: new Map([['guest.image', 'reg.example/agents:1']]),
    environment: { XDG_DATA_HOME: '/data', XDG_CACHE_HOME: '/cache' },
  });
  const running = { isLoopback: true, hasManifestAuth: false, url: 'http://[::1]:1' };
  expect(
    serviceInfo(config, { ...running, manifestWarnings: [], missingPackages: [] }),
  ).toMatchObject({
    folder: 'reg.example/agents:1',
  });
});
