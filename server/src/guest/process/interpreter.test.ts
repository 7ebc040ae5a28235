import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { findInterpreter, isMeantFor } from './interpreter.ts';

let folder = '';
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'interpreter-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function executable(name: string, script = 'exit 0'): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

function find(environment: Record<string, string>, override?: string): Promise<object> {
  const question = { sourceDir: folder, environment, signal };
  return findInterpreter('python', override === undefined ? question : { ...question, override });
}

describe('findInterpreter', () => {
  it('takes the override first, as a path or as a name on the PATH', async () => {
    await executable('.venv/bin/python');
    const other = await executable('other/python3.12');
    const found = { command: other, from: '--interpreter' };
    expect(await find({}, other)).toEqual(found);
    expect(await find({ PATH: path.dirname(other) }, 'python3.12')).toEqual(found);
  });

  it('takes the environment of a project below, then that of the uv workspace above', async () => {
    const sourceDir = path.join(folder, 'apps', 'agent');
    const projectDirs = [sourceDir, path.join(sourceDir, 'backend')];
    const question = { sourceDir, projectDirs, environment: {}, signal };
    const workspace = await executable('.venv/bin/python');
    await expect(findInterpreter('python', question)).rejects.toThrow('There is no python3');
    await writeFile(path.join(folder, 'uv.lock'), '');
    const from = `.venv of the workspace ${folder}`;
    expect(await findInterpreter('python', question)).toEqual({ command: workspace, from });

    const below = await executable('apps/agent/backend/.venv/bin/python');
    const found = { command: below, from: '.venv of backend' };
    expect(await findInterpreter('python', question)).toEqual(found);
  });

  it('refuses an override that cannot be executed', async () => {
    await expect(find({}, '/nowhere/python')).rejects.toThrow(
      'The interpreter /nowhere/python cannot be executed.',
    );
  });

  it("takes the agent's environment, then a poetry one, then conda's, then the PATH", async () => {
    const onPath = await executable('path/python3');
    const environment: Record<string, string> = { PATH: path.dirname(onPath) };
    expect(await find(environment)).toEqual({ command: onPath, from: 'PATH' });

    const conda = await executable('conda/bin/python');
    environment['CONDA_PREFIX'] = path.join(folder, 'conda');
    expect(await find(environment)).toEqual({ command: conda, from: 'conda environment' });

    const poetry = await executable('poetry-env/bin/python');
    await executable('path/poetry', `echo ${poetry}`);
    expect(await find(environment)).toEqual({ command: conda, from: 'conda environment' });
    await writeFile(path.join(folder, 'poetry.lock'), '');
    expect(await find(environment)).toEqual({ command: poetry, from: 'poetry environment' });

    const own = await executable('.venv/bin/python');
    expect(await find(environment)).toEqual({ command: own, from: '.venv of the agent' });
  });

  it('reports the remedy when there is none', async () => {
    await expect(find({ PATH: folder })).rejects.toMatchObject({
      code: 'guest_unavailable',
      message: expect.stringContaining('There is no python3 on PATH'),
    });
  });

  it('gives one flag to the language it is meant for', () => {
    expect(isMeantFor('javascript', '/opt/node-24/bin/node')).toBe(true);
    expect(isMeantFor('python', '/opt/node-24/bin/node')).toBe(false);
    expect(isMeantFor('python', '/node/venv/bin/python3.11')).toBe(true);
  });
});
