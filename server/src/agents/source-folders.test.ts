import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readManifest, type Manifest } from './manifest.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sources-'));
});
afterEach(() => rm(root, { recursive: true }));

/** A repository with the agent folder `app`. */
async function repository(manifest: object, ...files: string[]): Promise<Manifest> {
  await mkdir(path.join(root, 'app'));
  for (const name of files) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, name.endsWith('.env') ? 'KEY=1' : '');
  }
  await writeFile(path.join(root, 'app', 'langgraph.json'), JSON.stringify(manifest));
  return await readManifest(path.join(root, 'app'));
}

const at = (...names: string[]): string[] => names.map((name) => path.join(root, name));
const agent = { graphs: { a: './agent.py:graph' } };

describe('dependencies', () => {
  it('are where modules are looked for, the agent folder first, with the src of projects', async () => {
    const manifest = await repository(
      { ...agent, dependencies: ['.', './backend', 'langchain_openai', '../shared', './plain'] },
      ...['app/agent.py', 'app/pyproject.toml', 'app/src/my_agent/graph.py'],
      ...['app/backend/graph.py', 'app/plain/src/graph.py'],
      ...['shared/setup.py', 'shared/src/__init__.py'],
    );
    expect(manifest).toMatchObject({
      importPaths: at('app', 'app/src', 'app/backend', 'shared', 'app/plain'),
      sourceFolders: at('app', 'shared'),
      warnings: [],
    });
  });

  it('that do not exist are left out with a warning', async () => {
    const dependencies = ['./none', './requirements.txt'];
    const files = ['app/agent.py', 'app/requirements.txt'];
    const { warnings, importPaths } = await repository({ ...agent, dependencies }, ...files);
    expect(warnings).toEqual([
      'langgraph.json: dependencies: "./none" does not exist: it is left out',
      'langgraph.json: dependencies: "./requirements.txt" is a file, not a folder: it is left out',
    ]);
    expect(importPaths).toEqual(at('app'));
  });

  it('may be the repository around the agent folder', async () => {
    const manifest = await repository(
      { graphs: { a: '../src/agent.py:graph' }, dependencies: ['..'], env: '../.env' },
      ...['src/agent.py', '.env', 'pyproject.toml'],
    );
    expect(manifest).toMatchObject({
      agents: [{ path: '../src/agent.py:graph' }],
      environment: { KEY: '1' },
      sourceFolders: at('app', '.'),
      importPaths: at('app', '.', 'src'),
    });
  });

  it('may be a uv workspace that source.root names', async () => {
    const source = { kind: 'uv', root: '..' };
    const { sourceFolders } = await repository({ ...agent, source }, 'app/agent.py', 'uv.lock');
    expect(sourceFolders).toEqual(at('app', '.'));
  });
});

it('env may be a file outside of them', async () => {
  const { environment } = await repository({ ...agent, env: '../.env' }, 'app/agent.py', '.env');
  expect(environment).toEqual({ KEY: '1' });
});

describe('files of graphs', () => {
  it('may be in a folder that dependencies names, also as written on Windows', async () => {
    const graphs = { a: '..\\shared\\agent.py:graph', b: '.\\in here\\my-agent.ts:graph' };
    const files = ['shared/agent.py', 'app/in here/my-agent.ts'];
    const { agents } = await repository({ graphs, dependencies: ['..\\shared'] }, ...files);
    expect(agents.map((one) => one.path)).toEqual([
      '../shared/agent.py:graph',
      './in here/my-agent.ts:graph',
    ]);
  });

  it('have their default export when they are JavaScript and nothing else is named', async () => {
    const graphs = { a: './agent.ts', b: './agent.mjs:', c: './agent.ts:graph' };
    const { agents } = await repository({ graphs }, 'app/agent.ts', 'app/agent.mjs');
    expect(agents.map((one) => one.path)).toEqual([
      './agent.ts:default',
      './agent.mjs:default',
      './agent.ts:graph',
    ]);
  });

  it('elsewhere are refused, naming the folder that is missing there', async () => {
    const graphs = { a: '../shared/agents/agent.py:graph' };
    await expect(
      repository({ graphs, dependencies: ['.'] }, 'shared/agents/agent.py'),
    ).rejects.toThrow(
      'graphs.a: "../shared/agents/agent.py" is outside of the agent folder; add "../shared/agents" to "dependencies".',
    );
  });

  it('are where links lead', async () => {
    const files = ['app/agent.py', 'shared/agent.py'];
    await repository(agent, ...files);
    await symlink(path.join(root, 'shared'), path.join(root, 'app', 'linked'));
    const linked = async (dependencies: string[]): Promise<Manifest> => {
      const text = JSON.stringify({ graphs: { a: './linked/agent.py:graph' }, dependencies });
      await writeFile(path.join(root, 'app', 'langgraph.json'), text);
      return await readManifest(path.join(root, 'app'));
    };
    await expect(linked(['.'])).rejects.toThrow(
      `"./linked/agent.py" leads to ${root}/shared/agent.py, which is outside of the agent folder; add "../shared" to "dependencies".`,
    );
    expect((await linked(['./linked'])).sourceFolders).toEqual(at('app', 'shared'));
  });
});
