import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allGone, descendants, type KnownProcess } from '../../../test/fixtures/process-tree.ts';
import { findMissingPackages, installPackages } from './install-packages.ts';
import { markerOf, type PackagesQuestion, shownCommands } from './missing-packages.ts';

let folder = '';
/** The folder for the PATH. */
let bin = '';
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'packages-')));
  bin = await mkdtemp(path.join(tmpdir(), 'packages-bin-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await rm(bin, { recursive: true });
});

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** A folder for the PATH in which these commands exist; python3 knows no LangGraph. */
async function commands(...names: string[]): Promise<Record<string, string>> {
  for (const name of names) {
    await writeFile(path.join(bin, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
  return { PATH: bin };
}

async function missing(question: Partial<PackagesQuestion>) {
  const found = await findMissingPackages({
    sourceDir: folder,
    agents: [{ path: './agent.py:graph', language: 'python' }],
    dependencies: [],
    environment: { PATH: bin },
    signal,
    ...question,
  });
  return found.map((packages) => ({
    because: packages.because,
    ...(packages.needs === undefined ? {} : { needs: packages.needs }),
    run: shownCommands(packages),
    ...(packages.directory === folder ? {} : { in: path.relative(folder, packages.directory) }),
  }));
}

const project = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "a"\n';

describe('what is missing for Python', () => {
  const uvInstall = 'uv pip install --compile-bytecode --python .venv/bin/python';

  it('names the lock file first, and takes it as it is', async () => {
    await put({ 'uv.lock': '', 'pyproject.toml': project, 'requirements.txt': 'x' });
    const environment = await commands('uv', 'python3');
    expect(await missing({ environment, dependencies: ['.', 'langchain-openai'] })).toEqual([
      {
        because: 'uv.lock names Python packages, but there is no .venv.',
        run: `uv venv .venv && uv sync --frozen --no-dev --compile-bytecode && ${uvInstall} langchain-openai`,
      },
    ]);
  });

  it.each([
    ['a project is installed in place', { 'pyproject.toml': project }, '-e .'],
    [
      'one that cannot be built gives its dependencies',
      { 'pyproject.toml': '[project]\n' },
      '-r pyproject.toml',
    ],
    ['requirements are read', { 'requirements.txt': 'x' }, '-r requirements.txt'],
  ])('%s', async (_, files, words) => {
    await put(files);
    const environment = await commands('uv', 'python3');
    const [found] = await missing({ environment });
    expect(found?.run).toBe(`uv venv .venv && ${uvInstall} ${words}`);
  });

  it('takes folders and packages of the manifest as LangGraph does', async () => {
    await put({ 'lib/setup.py': '', 'plain/agent.py': '', 'listed/requirements.txt': 'x' });
    const environment = await commands('uv', 'python3');
    const dependencies = ['./lib', './plain', './listed', 'httpx>=0.27'];
    const [found] = await missing({ environment, dependencies });
    expect(found?.because).toBe('lib/setup.py names Python packages, but there is no .venv.');
    expect(found?.run).toBe(
      `uv venv .venv && ${uvInstall} -e lib -r listed/requirements.txt "httpx>=0.27"`,
    );
  });

  it("uses pip without uv, and the manifest's Python where the machine has it", async () => {
    await put({ 'requirements.txt': 'x' });
    const environment = await commands('python3', 'python3.12');
    const pip =
      '.venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off -r requirements.txt';
    const [found] = await missing({ environment });
    expect(found?.run).toBe(`python3 -m venv .venv && ${pip}`);
    const [with312] = await missing({ environment, pythonVersion: '3.12' });
    expect(with312?.run).toBe(`python3.12 -m venv .venv && ${pip}`);
    const [with313] = await missing({ environment, pythonVersion: '3.13' });
    expect(with313?.run).toBe(`python3 -m venv .venv && ${pip}`);
  });

  it('reports when neither uv nor Python is installed, and when a package is an option of pip', async () => {
    await put({ 'requirements.txt': 'x' });
    const because = 'requirements.txt names Python packages, but there is no .venv.';
    expect(await missing({})).toEqual([
      { because, run: '', needs: 'Neither uv nor python3 is on PATH: install one.' },
    ]);
    const environment = await commands('uv');
    expect(await missing({ environment, dependencies: ['--index-url=http://x'] })).toEqual([
      {
        because,
        run: '',
        needs: 'dependencies: "--index-url=http://x" is an option of pip, not a package.',
      },
    ]);
  });

  it('is LangGraph alone where nothing is named', async () => {
    const environment = await commands('uv', 'python3');
    const because = 'There is no .venv, and no other Python with langgraph.';
    expect(await missing({ environment })).toEqual([
      { because, run: `uv venv .venv && ${uvInstall} langgraph` },
    ]);
  });

  it('is nothing in an environment, and with an interpreter that was chosen', async () => {
    const environment = await commands('uv', 'python3');
    await put({ 'requirements.txt': 'x', 'venv/bin/python': '#!/bin/sh\n' });
    await chmod(path.join(folder, 'venv/bin/python'), 0o755);
    const active = { ...environment, VIRTUAL_ENV: path.join(folder, 'venv') };
    expect(await missing({ environment: active })).toEqual([]);
    expect(
      await missing({ environment, interpreter: path.join(folder, 'venv/bin/python') }),
    ).toEqual([]);
    // A Python of the machine that has LangGraph is as good.
    await writeFile(path.join(bin, 'python3'), '#!/bin/sh\nexit 0\n');
    expect(await missing({ environment })).toEqual([]);
  });
});

describe('what is missing for JavaScript', () => {
  const agents = [{ path: './agent.ts:graph', language: 'javascript' as const }];
  const packageJson = JSON.stringify({ dependencies: { '@langchain/langgraph': '1' } });
  const because = 'package.json names @langchain/langgraph, which is not installed.';

  it.each([
    ['package-lock.json', '', 'npm ci --no-audit --no-fund'],
    ['pnpm-lock.yaml', '', 'pnpm install --frozen-lockfile'],
    ['yarn.lock', '# yarn lockfile v1', 'yarn install --frozen-lockfile'],
    ['yarn.lock', '__metadata:\n  version: 8', 'yarn install --immutable'],
    ['README.md', '', 'npm install --no-audit --no-fund'],
  ])('%s decides who installs it', async (lock, text, run) => {
    await put({ 'package.json': packageJson, [lock]: text });
    const environment = await commands('npm', 'pnpm', 'yarn');
    expect(await missing({ environment, agents })).toEqual([{ because, run }]);
  });

  it('installs a workspace where its lock file is', async () => {
    await put({ 'pnpm-lock.yaml': '', 'package.json': '{}', 'apps/a/package.json': packageJson });
    const environment = await commands('pnpm');
    const inWorkspace = [{ path: './apps/a/src/agent.ts:graph', language: 'javascript' as const }];
    expect(await missing({ environment, agents: inWorkspace })).toEqual([
      { because: `apps/a/${because}`, run: 'pnpm install --frozen-lockfile' },
    ]);
  });

  it('looks no higher than the folder that the manifest names', async () => {
    await put({ 'package.json': packageJson, 'shared/agent.ts': '', 'app/langgraph.json': '' });
    const environment = await commands('npm');
    const shared = [{ path: '../shared/agent.ts:graph', language: 'javascript' as const }];
    const sourceDir = path.join(folder, 'app');
    const question = { sourceDir, environment, agents: shared };
    expect(await missing({ ...question, dependencies: ['.', '../shared'] })).toEqual([]);
    const [found] = await missing({ ...question, dependencies: ['.', '..'] });
    expect(found?.because).toBe(`${path.join('..', because)}`);
  });

  it('names a package manager that is not installed, and uses corepack for it', async () => {
    await put({ 'package.json': packageJson, 'pnpm-lock.yaml': '' });
    expect(await missing({ agents })).toEqual([
      { because, run: '', needs: 'pnpm is not on PATH: install it (npm install --global pnpm).' },
    ]);
    const environment = await commands('corepack');
    expect(await missing({ environment, agents })).toEqual([
      { because, run: 'corepack pnpm install --frozen-lockfile' },
    ]);
  });

  it('is nothing where node_modules has it, here or above', async () => {
    await put({
      'node_modules/@langchain/langgraph/package.json': '{}',
      'apps/a/package.json': packageJson,
    });
    expect(await missing({ agents })).toEqual([]);
    const nested = [{ path: './apps/a/agent.ts:graph', language: 'javascript' as const }];
    expect(await missing({ agents: nested })).toEqual([]);
  });
});

describe('installing', () => {
  /** What this command does in the folder. */
  const install = async (
    script: string,
    options: { limitMs?: number; signal?: AbortSignal } = {},
  ) => {
    const lines: string[] = [];
    const installed = installPackages(
      { language: 'python', directory: folder, because: '', commands: [['/bin/sh', '-c', script]] },
      {
        environment: { PATH: process.env['PATH'] ?? '', npm_config_x: '1', INIT_CWD: '/' },
        signal,
        onProgress: (line) => lines.push(line),
        ...options,
      },
    );
    await installed;
    return lines;
  };
  const marker = () => markerOf(folder, 'python');

  it('passes on the output of the commands, hides the npm around it from them, and leaves no marker', async () => {
    expect(await install('echo "in $(pwd) $npm_config_x$INIT_CWD"; echo more >&2')).toEqual(
      expect.arrayContaining([`in ${folder} `, 'more', 'The python packages are installed.']),
    );
    expect(existsSync(marker())).toBe(false);
  });

  it('fails with the last words, and what was half-made is missing and made anew', async () => {
    await put({ 'requirements.txt': 'x' });
    await expect(install('mkdir .venv; echo No such package >&2; exit 3')).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: `The Python packages of ${folder} could not be installed: /bin/sh ended with 3: No such package`,
    });
    const [found] = await missing({ environment: await commands('uv', 'python3') });
    expect(found?.because).toBe('The installation of the Python packages was cut off.');
    await install('test ! -e .venv');
  });

  it("never removes an environment that isn't its own", async () => {
    await put({ '.venv/mine': '' });
    await install('true');
    expect(existsSync(path.join(folder, '.venv/mine'))).toBe(true);
  });

  it('ends the command and all that it started when it is stopped, or takes too long', async () => {
    const stop = new AbortController();
    const started = 'sleep 600 & echo begun; wait';
    let all: KnownProcess[] = [];
    const installing = installPackages(
      {
        language: 'python',
        directory: folder,
        because: '',
        commands: [['/bin/sh', '-c', started]],
      },
      {
        environment: { PATH: process.env['PATH'] ?? '' },
        signal: stop.signal,
        onProgress: () => {
          all = descendants(process.pid).filter(({ command }) => command.includes('sleep 600'));
          stop.abort();
        },
      },
    );
    await expect(installing).rejects.toMatchObject({ code: 'guest_unavailable' });
    expect(all.length).toBeGreaterThan(0);
    await allGone(all, 10_000);
    await expect(install('sleep 600', { limitMs: 20 })).rejects.toThrow('it took more than');
  });

  it('leaves a folder alone that another process is installing into', async () => {
    await writeFile(marker(), String(process.ppid));
    await expect(install('true')).rejects.toThrow(`process ${process.ppid} is installing them`);
  });

  it.each([
    ['that another process has just made', (at: string) => writeFile(at, '')],
    ['that leads out of the folder', (at: string) => symlink(path.join(bin, 'outside'), at)],
  ])('writes over no marker %s', async (_, make) => {
    await make(marker());
    await expect(install('true')).rejects.toThrow('another process is installing them');
    expect(existsSync(path.join(bin, 'outside'))).toBe(false);
  });
});
