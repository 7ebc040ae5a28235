import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { isServiceError } from '../errors/service-error.ts';
import { plainStore } from '../model/store/store-settings.ts';
import { readManifest, type ManifestReading } from './manifest.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'manifest-'));
  for (const name of ['chat.py', 'triage.ts']) await writeFile(path.join(folder, name), '');
});

afterEach(() => rm(folder, { recursive: true }));

async function write(manifest: unknown, name = 'agent.json'): Promise<string> {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  await writeFile(path.join(folder, name), text);
  return path.join(folder, name);
}

/** What readManifest complains about, without the folder's name. */
async function complaint(reading: ManifestReading = {}): Promise<string> {
  const error: unknown = await readManifest(folder, reading).catch((thrown: unknown) => thrown);
  if (!isServiceError(error)) throw new Error('the manifest was taken', { cause: error });
  expect(error.code).toBe('manifest_invalid');
  return error.message.replaceAll(folder, '.');
}

const example = 'write for example "graphs": {"agent": "./agent.py:graph"}.';
const form = 'is not of the form "./file.py:variable" or "package.module:variable".';
const unaddressable = 'no URL can have this name; give it one of letters, such as "agent".';
const kinds =
  'is neither a file of Python, JavaScript or TypeScript nor a Python module; write "./file.py:variable" or "package.module:variable".';

describe("a stranger's folder", () => {
  const graphs = { chat: './chat.py:graph' };

  it.each([
    ['dependencies', { graphs, dependencies: ['.', '../other'] }],
    ['dependencies', { graphs, dependencies: ['/etc'] }],
    ['source.root', { graphs, source: { root: '../..' } }],
    ['env', { graphs, env: '../.env' }],
    ['env', { graphs, env: '/etc/hostname' }],
  ])('has nothing outside of it: %s of %j', async (key, manifest) => {
    await write(manifest);
    expect(await complaint({ isClosed: true })).toMatch(
      new RegExp(`^./agent.json: ${key}: ".+" is outside of the image's agent folder.$`),
    );
  });

  it('has no code outside of it, and what is within is taken', async () => {
    await write({ graphs: { chat: '../chat.py:graph' } });
    expect(await complaint({ isClosed: true })).toMatch(/graphs.chat: there is no file/);
    await writeFile(path.join(folder, 'vars'), 'A=${HOME}');
    await write({ graphs, dependencies: ['.', 'langgraph'], env: 'vars' });
    expect(await readManifest(folder, { isClosed: true })).toMatchObject({
      sourceFolders: [folder],
      environment: { A: '' },
    });
  });
});

describe('readManifest', () => {
  it('reads entries of both forms and languages in their order', async () => {
    const file = await write({
      graphs: {
        chat: './chat.py:graph',
        triage: { path: './triage.ts:graph', description: 'Sorts.', metadata: { team: 'a' } },
        module: 'package.module:make_graph',
      },
      env: { A: 'x', N: 1, B: true },
      dependencies: ['.'],
      python_version: '3.11',
    });
    expect(await readManifest(folder)).toEqual({
      file,
      agents: [
        { agentId: 'chat', name: 'chat', path: './chat.py:graph', language: 'python' },
        {
          agentId: 'triage',
          name: 'triage',
          path: './triage.ts:graph',
          language: 'javascript',
          description: 'Sorts.',
          metadata: { team: 'a' },
        },
        {
          agentId: 'module',
          name: 'module',
          path: 'package.module:make_graph',
          language: 'python',
        },
      ],
      environment: { A: 'x', N: '1', B: 'true' },
      dependencies: ['.'],
      sourceFolders: [folder],
      importPaths: [folder],
      pythonVersion: '3.11',
      store: plainStore,
      warnings: [],
    });
  });

  it('takes agent.json before langgraph.json before service.json', async () => {
    for (const name of ['service.json', 'langgraph.json', 'agent.json']) {
      const file = await write({ graphs: { chat: './chat.py:graph' } }, name);
      expect((await readManifest(folder)).file).toBe(file);
    }
  });

  it('reads env from a file of the agent folder', async () => {
    await writeFile(path.join(folder, '.env'), '# keys\nKEY="a b"\nOTHER=c\n');
    await write({ graphs: { chat: './chat.py:graph' }, env: './.env' });
    expect((await readManifest(folder)).environment).toEqual({ KEY: 'a b', OTHER: 'c' });
  });

  it('takes LANGGRAPH_CONFIG for the assistants of its agents, from env before the user’s variables', async () => {
    const outer = { LANGGRAPH_CONFIG: '{"chat": {"context": {"tone": "dry"}}}' };
    const graphs = { chat: './chat.py:graph' };
    const read = async () => (await readManifest(folder, { outer })).agents[0].assistant;
    await write({ graphs });
    expect(await read()).toEqual({ config: {}, context: { tone: 'dry' } });
    await write({ graphs, env: { LANGGRAPH_CONFIG: '{"chat": {"configurable": {"a": 1}}}' } });
    expect(await read()).toEqual({ config: { configurable: { a: 1 } }, context: {} });
    await write({ graphs, env: { LANGGRAPH_CONFIG: '{' } });
    expect(await complaint({ outer })).toMatch(/^.\/agent.json: env.LANGGRAPH_CONFIG: it is not/);
  });

  it('takes names in env for variables that the user has', async () => {
    await write({ graphs: { chat: './chat.py:graph' }, env: ['OPENAI_API_KEY'] });
    expect(await readManifest(folder)).toMatchObject({ environment: {}, warnings: [] });
  });

  it('warns of an env file that does not exist', async () => {
    await write({ graphs: { chat: './chat.py:graph' }, env: '.env' });
    const { environment, warnings } = await readManifest(folder);
    expect(environment).toEqual({});
    expect(warnings).toEqual([
      'agent.json: env: there is no file ".env", so none of its variables are set',
    ]);
  });

  it('warns about keys it does not know', async () => {
    await write({
      graphs: { chat: { path: './chat.py:graph', color: 1 } },
      graph: {},
      store: {},
    });
    const { warnings } = await readManifest(folder);
    expect(warnings).toEqual([
      'agent.json: unknown key "graph"',
      'agent.json: graphs.chat: unknown key "color"',
    ]);
  });

  it('names the folder when there is no manifest', async () => {
    expect(await complaint()).toBe(
      '.: there is no agent.json, langgraph.json or service.json; serve the folder that has it, or write one: {"graphs": {"agent": "./agent.py:graph"}}.',
    );
    await mkdir(path.join(folder, 'studio'));
    await write({}, 'studio/langgraph.json');
    expect(await complaint()).toBe(
      '.: there is no agent.json, langgraph.json or service.json; serve ./studio, which has one.',
    );
  });

  it('names the file when it is not JSON', async () => {
    await write('{"graphs": ');
    expect(await complaint()).toMatch(/^\.\/agent\.json: the file is not JSON: /);
  });

  it.each([
    [{}, `graphs: the key is missing; ${example}`],
    [{ graphs: [] }, `graphs: it is not an object; ${example}`],
    [{ graphs: {} }, `graphs: there is no entry; ${example}`],
    [
      { graphs: { 7: './chat.py:g' } },
      'graphs.7: the name is an integer; give it a letter, such as "agent7".',
    ],
    [{ graphs: { '': './chat.py:g' } }, 'graphs.: the name is empty.'],
    [{ graphs: { '..': './chat.py:g' } }, `graphs...: ${unaddressable}`],
    [{ graphs: { 'a\nb': './chat.py:g' } }, `graphs.a\nb: ${unaddressable}`],
    [{ graphs: { a: 5 } }, 'graphs.a: expected "./file.py:variable" or an object with "path".'],
    [
      { graphs: { a: {} } },
      'graphs.a: "path" is missing or not a string; write "path": "./file.py:variable".',
    ],
    [{ graphs: { a: './chat.py' } }, `graphs.a: "./chat.py" ${form}`],
    [{ graphs: { a: 'C:\\chat.py' } }, `graphs.a: "C:\\chat.py" ${form}`],
    [{ graphs: { a: './chat.rb:g' } }, `graphs.a: "./chat.rb" ${kinds}`],
    [{ graphs: { a: './chat:g' } }, `graphs.a: "./chat" ${kinds}`],
    [{ graphs: { a: 'my-agent.graph:g' } }, `graphs.a: "my-agent.graph" ${kinds}`],
    [{ graphs: { a: './no.py:g' } }, 'graphs.a: there is no file "./no.py"; it would be ./no.py.'],
    [
      { graphs: { a: './folder.py:g' } },
      'graphs.a: "./folder.py" is a folder; name the file in it.',
    ],
    [
      { graphs: { a: { path: './chat.py:g', description: 1 } } },
      'graphs.a: "description" is not a string.',
    ],
    [
      { graphs: { a: { path: './chat.py:g', metadata: [] } } },
      'graphs.a: "metadata" is not an object.',
    ],
    [{ graphs: { a: './chat.py:g' }, env: { A: {} } }, 'env.A: the value is not a string.'],
    [
      { graphs: { a: './chat.py:g' }, env: 5 },
      'env: it is neither an object of variables nor a file name.',
    ],
    [
      { graphs: { a: './chat.py:g' }, env: './folder.py' },
      'env: the file "./folder.py" cannot be read.',
    ],
    [
      { graphs: { a: './chat.py:g' }, dependencies: '.' },
      'dependencies: it is not a list of strings, such as ["."].',
    ],
    [
      { graphs: { a: './chat.py:g' }, dependencies: ['/'] },
      'dependencies: "/" is /, much more than the agents\' code; name the folder that has it.',
    ],
    [
      { graphs: { a: './chat.py:g' }, python_version: 3.11 },
      'python_version: 3.11 is not a version; write it in quotes, such as "3.11".',
    ],
    [
      { graphs: { a: './chat.py:g' }, node_version: 'lts' },
      'node_version: "lts" is not a version; write it in quotes, such as "22".',
    ],
  ])('refuses %j', async (manifest, reason) => {
    await mkdir(path.join(folder, 'folder.py'));
    await write(manifest);
    expect(await complaint()).toBe(`./agent.json: ${reason}`);
  });

  it('treats a folder instead of a file as none', async () => {
    await mkdir(path.join(folder, 'agent.json'));
    expect(await complaint()).toBe('./agent.json: the file cannot be read.');
  });
});
