/**
 * Folders of JavaScript agents that do harm while npm installs what they name, with gVisor. Takes two minutes: each
 * installation is a job in a sandbox, with the proxy of a service's installer.
 * @module-tag release
 * @needs guest-root, @needs runsc
 */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { guestRootFolder } from '../../../scripts/suites.ts';
import { startEgressProxy } from '../../src/guest/egress/egress-proxy.ts';
import { installerRules } from '../../src/guest/egress/installer-egress.ts';
import type { ImageSandbox } from '../../src/guest/sandbox/port.ts';
import { runInSandbox } from '../../src/guest/sandbox/sandbox-job.ts';
import { javascriptPackages } from '../../src/guest/sandbox/sandboxed-javascript.ts';
import { sourcePathsOf } from '../../src/guest/sandbox/source-paths.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { poisonedNpmPackage, type PoisonedPackage } from '../fixtures/poisoned-package.ts';
import { sandboxKind } from '../fixtures/sandbox-kinds.ts';

const LIMIT_MS = 120_000;
const MIB = 1024 ** 2;
const signal = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
// What installs is one program, in both: the second is for the night.
const kinds = [
  sandboxKind('gvisor rootless'),
  { ...sandboxKind('gvisor privileged'), tags: 'nightly' as const },
];
const tarball = { dependencies: { poisoned: 'file:/agent/poisoned.tgz' } };

/** Every setting that names a program, a file or a way, and a node_modules with its own npm. */
const evil = (port: number): Record<string, string> => ({
  '.npmrc': [
    ...[`registry=http://127.0.0.1:${port}/`, 'script-shell=/agent/program', 'git=/agent/program'],
    ...['node-options=--require /agent/more.cjs', 'cache=/agent/cache', 'ignore-scripts=false'],
    ...['prefix=/agent', 'cafile=/etc/shadow', 'init-module=/agent/more.cjs'],
    ...['userconfig=/agent/rc', 'globalconfig=/agent/other'],
    ...[`proxy=http://127.0.0.1:${port}`, `https-proxy=http://127.0.0.1:${port}`],
  ].join('\n'),
  program: '#!/bin/sh\nexec /bin/sh "$@"\n',
  'more.cjs': '',
  'node_modules/.bin/npm': '#!/bin/sh\nexit 7\n',
  'node_modules/npm/package.json': '{"name": "npm", "version": "99.0.0"}',
});

describe('a malicious folder of JavaScript agents', () => {
  let scratch = '';
  let agents = '';
  let poison: PoisonedPackage & { port: number };
  beforeAll(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'poisoned-npm-'));
    await chmod(scratch, 0o755);
    agents = path.join(scratch, 'agents');
    await mkdir(agents);
    await writeFile(path.join(agents, 'agent.ts'), '');
    poison = await poisonedNpmPackage(agents);
  });
  afterAll(async () => {
    poison.close();
    await rm(scratch, { recursive: true, force: true });
  });

  async function put(files: Record<string, string>): Promise<void> {
    for (const name of await readdir(agents)) {
      if (!['agent.ts', 'poisoned.tgz', 'target.json'].includes(name))
        await rm(path.join(agents, name), { recursive: true });
    }
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(agents, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text, { mode: 0o755 });
    }
  }

  it('reaches all of it as a plain process', { timeout: LIMIT_MS }, async () => {
    expect(await poison.reachesAsPlainProcess()).toEqual([
      ...['a port of this machine', 'the same by HTTP', 'a file of this machine'],
      ...["the agents' folder", "the user's variables"],
    ]);
  });

  describeWhere(kinds, ({ name, open }) => {
    let sandbox: ImageSandbox;
    const metrics = createMetrics({ version: '1' });
    beforeAll(async () => {
      const limits = { memoryBytes: 1024 * MIB, tmpBytes: 256 * MIB };
      sandbox = (await open(limits)) as ImageSandbox; // all but `none` are
    });
    afterAll(async () => {
      metrics.close();
      await sandbox.close();
    });

    const image = () =>
      sandbox.image(path.join(guestRootFolder, 'tree'), { onProgress: () => undefined, signal });

    /** As a service does it, with the network rule of its installer. */
    async function install(): Promise<string> {
      const cacheDir = path.join(scratch, name.replaceAll(' ', '-'));
      const userEnvironment = { PATH: process.env['PATH'] ?? '', OF_THE_USER: 'secret' };
      const folder = await javascriptPackages({
        agents: [{ path: './agent.ts:graph' }],
        options: { sourceDir: agents, cacheDir, userEnvironment },
        installer: {
          ...{ sandbox, image: await image(), cacheDir, onProgress: () => undefined, signal },
          egress: (index) => (socketPath, runsOf) => {
            const allow = installerRules(index, undefined);
            return startEgressProxy({ socketPath, runsOf, allow, logger: silent, metrics });
          },
        },
        sourcePaths: sourcePathsOf([agents]),
      });
      return folder ?? '';
    }

    it.each([
      ['a package that looks around', {}],
      ['the same with an .npmrc and an npm of the folder', evil],
    ])('reaches none of it: %s', { timeout: LIMIT_MS }, async (_, more) => {
      const files = typeof more === 'function' ? more(poison.port) : more;
      await put({ ...files, 'package.json': JSON.stringify(tarball) });
      const before = await readdir(agents);
      const packages = await install();
      const made = path.join(packages, 'poisoned');
      expect(JSON.parse(await readFile(path.join(made, 'reached.json'), 'utf8'))).toEqual({
        ...{ reached: [], npm: '/usr/lib/node_modules/npm/bin/npm-cli.js' },
      });
      expect(await readdir(agents)).toEqual(before);
      await expect(lstat(path.join(made, 'link'))).rejects.toThrow('ENOENT');
      expect((await readdir(path.join(packages, '.bin'))).toSorted()).toEqual(['npm', 'poison']);
      const write = `require('node:fs').writeFileSync('/node_modules/poisoned/new', '')`;
      const job = {
        ...{ language: 'javascript' as const, command: 'node', args: ['-e', write], config: {} },
        ...{ environment: { PATH: '/usr/bin:/bin' }, workingDirectory: '/' },
        sandboxed: {
          image: (await image()).name,
          mounts: [{ from: packages, to: '/node_modules' }],
        },
      };
      const lines: string[] = [];
      const onLine = (line: string) => void lines.push(line);
      await expect(runInSandbox(sandbox, job, { signal, onLine })).rejects.toThrow('Node.js');
      expect(lines.join('\n')).toContain('EROFS');
    });

    const locked = (at: string, entry: object) => ({
      'package.json': JSON.stringify({ dependencies: { poisoned: '^1.0.0' } }),
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: { '': { dependencies: { poisoned: '^1.0.0' } }, [at]: entry },
      }),
    });
    const only = (wanted: object) => ({ 'package.json': JSON.stringify(wanted) });

    it.each([
      [
        'a lock that leads to a file of this machine',
        () =>
          locked('node_modules/poisoned', {
            version: '1.0.0',
            resolved: `file:${path.join(agents, 'poisoned.tgz')}`,
          }),
        /: ENOENT: no such file or directory, open '[^']+poisoned\.tgz'$/,
      ],
      [
        'a private address',
        () => only({ dependencies: { x: `http://127.0.0.1:${poison.port}/x.tgz` } }),
        /: 403 Agents may not reach 127\.0\.0\.1:\d+: .+$/,
      ],
      [
        'a registry at one',
        () => ({
          ...only({ dependencies: { '@x/x': '1' } }),
          '.npmrc': `@x:registry=http://127.0.0.1:${poison.port}`,
        }),
        /: 403 Agents may not reach 127\.0\.0\.1:\d+: .+$/,
      ],
      [
        'git over ssh',
        () => only({ dependencies: { x: 'git+ssh://git@127.0.0.1/x.git' } }),
        /: An unknown git error occurred$/,
      ],
      [
        'git of a folder',
        () => only({ dependencies: { x: 'git+file:///agent' } }),
        /: An unknown git error occurred$/,
      ],
      [
        'a name that leads out',
        () => only({ dependencies: { '../../x': 'file:/agent/poisoned.tgz' } }),
        /: Invalid package name "\.\.\/\.\.\/x"/,
      ],
    ])('is refused with one sentence: %s', { timeout: LIMIT_MS }, async (_, files, sentence) => {
      await put(files());
      await expect(install()).rejects.toThrow(sentence);
      await expect(install()).rejects.toMatchObject({ code: 'guest_unavailable' });
    });

    it.each([
      ['an override', { ...tarball, overrides: { other: 'file:/etc' } }],
      ['workspaces', { ...tarball, workspaces: ['/etc', '../../../agent'] }],
      ['a folder outside', { dependencies: { x: 'file:/etc' } }],
    ])('leaves nothing of this machine: %s', { timeout: LIMIT_MS }, async (_, wanted) => {
      await put(only(wanted));
      const packages = await install();
      for (const made of await readdir(packages, { withFileTypes: true, recursive: true })) {
        // What links lead to is what a guest has there.
        expect(made.isSymbolicLink() || made.isFile() || made.isDirectory()).toBe(true);
        expect(made.name).not.toBe('passwd');
      }
    });
  });
});
