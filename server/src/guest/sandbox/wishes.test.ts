import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { javascriptWish } from './javascript-wish.ts';
import { agentPackagesWish } from './python-wishes.ts';
import { sourcePathsOf } from './source-paths.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'wishes-')));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

const python = (...dependencies: string[]) =>
  agentPackagesWish({
    sourceDir: folder,
    dependencies,
    sourcePaths: sourcePathsOf([folder]),
    guestMount: { from: '/guest', to: '/opt/agent-runtime/guest' },
  });

describe('what Python agents need', () => {
  it('is nothing where nothing is named, which the image has', async () => {
    expect(await python()).toBeUndefined();
  });

  it('is what the requirements name, also those that they include', async () => {
    await put({ 'requirements.txt': '-r more.txt\nx', 'more.txt': '-c limits.txt\n-r more.txt' });
    const wish = await python();
    expect(wish?.program.config).toEqual({
      ...{ packages: [], projects: [] },
      files: ['/agent/requirements.txt'],
    });
    await put({ 'limits.txt': 'x<2' });
    const changed = await python();
    expect(changed?.decidedBy).not.toEqual(wish?.decidedBy);
  });

  it('is what a project depends on, before its requirements, and what is named besides', async () => {
    await put({ 'lib/pyproject.toml': '[project]', 'lib/requirements.txt': 'x' });
    expect((await python('.', './lib', 'langchain-openai'))?.program.config).toEqual({
      packages: ['langchain-openai'],
      files: [],
      projects: ['/agent/lib'],
    });
  });

  it('is what the lock of a project names', async () => {
    await put({ 'pyproject.toml': '[project]' });
    const wish = await python();
    await put({ 'uv.lock': 'version = 1' });
    expect((await python())?.decidedBy).toEqual([...(wish?.decidedBy ?? []), 'version = 1']);
  });

  describe('is shared', () => {
    const decidedIn = async (name: string, files: Record<string, string>) => {
      const sourceDir = path.join(folder, name);
      await put(
        Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])),
      );
      const sourcePaths = sourcePathsOf([sourceDir]);
      const guestMount = { from: '/guest', to: '/opt/agent-runtime/guest' };
      return await agentPackagesWish({ sourceDir, dependencies: [], sourcePaths, guestMount });
    };

    it('by folders that want the same of registries, and looks at none of them', async () => {
      const files = { 'requirements.txt': 'langgraph>=1\n' };
      const [one, other] = [
        await decidedIn('one', files),
        await decidedIn('other', { ...files, 'pip.py': 'raise SystemExit(0)' }),
      ];
      expect(one?.decidedBy).toEqual(other?.decidedBy);
      expect(one?.workingDirectory).toBe('/');
    });

    it.each(['.', '-e .', './lib', 'lib @ file:///agent/lib', './lib-1.whl'])(
      'by no other folder where the requirements name %s',
      async (line) => {
        const wanted = (text: string) => ({ 'requirements.txt': line, 'lib/lib.py': text });
        const one = await decidedIn('one', wanted('a = 1'));
        expect(one?.workingDirectory).toBe('/agent');
        expect((await decidedIn('other', wanted('a = 1')))?.decidedBy).not.toEqual(one?.decidedBy);
        expect((await decidedIn('one', wanted('a = 1')))?.decidedBy).toEqual(one?.decidedBy);
        expect((await decidedIn('one', wanted('a = 2')))?.decidedBy).not.toEqual(one?.decidedBy);
      },
    );

    it('by no other folder where a build determines what a project needs', async () => {
      const pyproject = '[project]\nname = "x"\ndynamic = ["dependencies"]';
      const wanted = (text: string) => ({ 'pyproject.toml': pyproject, 'needs.txt': text });
      const one = await decidedIn('one', wanted('a'));
      expect((await decidedIn('other', wanted('a')))?.decidedBy).not.toEqual(one?.decidedBy);
      expect((await decidedIn('one', wanted('b')))?.decidedBy).not.toEqual(one?.decidedBy);
      // Its own code is imported from its folder.
      const edited = { ...wanted('a'), 'agent.py': 'x = 1' };
      expect((await decidedIn('one', edited))?.decidedBy).toEqual(one?.decidedBy);
    });
  });

  it('reads regular files alone', async () => {
    await put({ 'requirements.txt': '-r /dev/zero\nx' });
    expect((await python())?.decidedBy).toContain('');
  });

  it('takes no options of pip', async () => {
    await expect(python('--index-url=http://x')).rejects.toThrow('is an option of pip');
  });
});

describe('what JavaScript agents need', () => {
  const wish = (isFresh = false) =>
    javascriptWish({
      sourceDir: folder,
      agents: [{ path: './src/agent.ts:graph' }],
      sourcePaths: sourcePathsOf([folder]),
      mounts: [],
      extension: '.ts',
      isFresh,
    });
  const needs = JSON.stringify({ dependencies: { semver: '7' } });

  it('is what the package.json above names, with its lock', async () => {
    expect(await wish()).toBeUndefined();
    await put({ 'package.json': needs });
    const found = await wish();
    expect(found?.program.config).toEqual({ folders: ['/agent'] });
    await put({ 'package-lock.json': '{}' });
    expect((await wish())?.decidedBy).not.toEqual(found?.decidedBy);
  });

  it('is nothing where the folder has it, and not by a link that leads nowhere in a sandbox', async () => {
    await put({ 'package.json': needs, 'node_modules/semver/package.json': '{}' });
    expect(await wish()).toBeUndefined();
    expect(await wish(true)).toBeDefined();
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'wishes-other-'));
    await rm(path.join(folder, 'node_modules'), { recursive: true });
    await mkdir(path.join(elsewhere, 'semver'));
    await symlink(elsewhere, path.join(folder, 'node_modules'));
    expect(await wish()).toMatchObject({ program: { config: { folders: ['/agent'] } } });
    await rm(elsewhere, { recursive: true });
  });
});
