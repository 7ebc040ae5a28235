// npm is a program: what it lists is asked of one that a test has put on PATH.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { javascriptIndex } from './index-settings.ts';

const usual = { registry: 'https://registry.npmjs.org/', 'strict-ssl': true, proxy: null };

/** The environment of installers where npm lists this. */
async function environmentOf(config: object): Promise<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'npm-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const npm = path.join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\ncat <<'E'\n${JSON.stringify(config)}\nE\n`);
  chmodSync(npm, 0o755);
  const userEnvironment = { PATH: `${folder}:/usr/bin:/bin` };
  const { signal } = new AbortController();
  return (await javascriptIndex({ userEnvironment, signal })).environment;
}

it('hands on what the user has set, which goes before the folder of the agents', async () => {
  const set = { ...usual, registry: 'https://mirror.example/', 'strict-ssl': false };
  expect(await environmentOf(set)).toEqual({
    npm_config_registry: 'https://mirror.example/',
    npm_config_strict_ssl: 'false',
  });
});

it("leaves what is not set to the agents' own .npmrc", async () => {
  expect(await environmentOf(usual)).toEqual({});
});
