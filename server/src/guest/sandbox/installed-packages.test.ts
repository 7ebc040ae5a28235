// Starts programs instead of installers; one of them writes for two seconds, which is how often its size is looked at.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { OpenEgress } from '../egress/program-egress.ts';
import { installedPackages, type Installer, type Wish } from './installed-packages.ts';
import { noSandbox } from './no-sandbox.ts';

let cacheDir = '';
beforeEach(() => (cacheDir = mkdtempSync(path.join(tmpdir(), 'packages-'))));
afterEach(() => rmSync(cacheDir, { recursive: true, force: true }));

/** A plain process: where it writes is found by itself. */
const image = { name: 'none', id: '1', platform: 'none', environment: { PATH: '/usr/bin:/bin' } };
const sandbox = {
  ...noSandbox(),
  kind: 'docker' as const,
  image: () => Promise.resolve(image),
  entries: () => {
    throw new Error('Not called.');
  },
};

function wish(script: string, more: Partial<Wish> = {}): Wish {
  return {
    title: 'The packages',
    decidedBy: ['1'],
    program: {
      language: 'python',
      command: 'sh',
      args: ['-ec', `cd ${cacheDir}/sandbox-packages/unfinished-*; ${script}`],
      config: {},
    },
    workingDirectory: '/',
    mounts: [],
    index: () => Promise.resolve({ environment: {}, mounts: [] }),
    ...more,
  };
}

function install(script: string, more: Partial<Wish & Installer> = {}): Promise<string> {
  const onProgress = (): void => undefined;
  const signal = new AbortController().signal;
  return installedPackages(wish(script, more), {
    ...{ sandbox, image, cacheDir, onProgress, signal },
    ...more,
  });
}

it('has what the installer left, made once', async () => {
  const made = await install('mkdir site; echo x > site/module.py');
  expect(readFileSync(path.join(made, 'module.py'), 'utf8')).toBe('x\n');
  expect(await install('exit 1')).toBe(made);
});

it.each([
  ['a link instead of the packages', 'ln -s / site', {}],
  [
    'a link instead of what guests get',
    'mkdir site; ln -s / site/node_modules',
    { mounted: 'node_modules' },
  ],
  ['a file', 'echo x > site', {}],
])('mounts nothing of this machine for an installer that left %s', async (_, script, more) => {
  const before = statSync('/').mode;
  await expect(install(script, more)).rejects.toMatchObject({
    code: 'guest_unavailable',
    message:
      'The packages could not be installed in the sandbox: the installer left no folder of packages',
  });
  expect(readdirSync(path.join(cacheDir, 'sandbox-packages'))).toEqual([]);
  expect(statSync('/').mode).toBe(before);
});

it('ends an installer that writes more than it may', async () => {
  const begun = performance.now();
  const script = 'mkdir site; while :; do head -c 4000000 /dev/urandom >> site/x; sleep 0.05; done';
  await expect(install(script, { maxBytes: 8_000_000 })).rejects.toMatchObject({
    code: 'guest_unavailable',
    message: 'The packages could not be installed in the sandbox: it wrote more than 1 GiB',
  });
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(readdirSync(path.join(cacheDir, 'sandbox-packages'))).toEqual([]);
});

it('outlives an installer that writes a line without end', async () => {
  const script = 'head -c 700000000 /dev/zero | tr "\\0" x; mkdir site';
  await expect(install(script)).resolves.toContain('sandbox-packages');
});

it('leads the installer through a proxy, its own loopback too, unless the user has one', async () => {
  const opened: string[] = [];
  const egress = (index: Readonly<Record<string, string>>): OpenEgress => {
    opened.push(index['PIP_INDEX_URL'] ?? '');
    return () => Promise.resolve({ close: () => Promise.resolve() });
  };
  const asked = 'mkdir site; echo "$HTTPS_PROXY,$NO_PROXY,$PIP_PROXY" > site/asked';
  const index =
    (environment: Record<string, string>): Wish['index'] =>
    () =>
      Promise.resolve({ environment, mounts: [] });
  const one = { egress, index: index({ PIP_INDEX_URL: 'http://localhost:3141' }) };
  const made = await install(asked, one);
  expect(readFileSync(path.join(made, 'asked'), 'utf8')).toBe('http://127.0.0.1:3128,,\n');
  const own = { egress, index: index({ PIP_PROXY: 'http://proxy:80' }), decidedBy: ['2'] };
  const direct = await install(asked, own);
  expect(readFileSync(path.join(direct, 'asked'), 'utf8')).toBe(',,http://proxy:80\n');
  expect(opened).toEqual(['http://localhost:3141']);
});
