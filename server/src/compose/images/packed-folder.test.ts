import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { copyAgentFolder } from './packed-folder.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'packed-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(...names: string[]): void {
  for (const name of names) {
    const file = path.join(folder, 'agents', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
}

async function packed(): Promise<{ files: string[]; secrets: readonly string[] }> {
  const target = path.join(folder, 'packed');
  const { secrets } = await copyAgentFolder(path.join(folder, 'agents'), target);
  const files = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(target, path.join(entry.parentPath, entry.name)));
  return { files: files.toSorted(), secrets };
}

it('has the code, and neither packages of this machine nor secrets', async () => {
  put('langgraph.json', 'src/agent.py', '.env', 'sub/.env.local', '.env.example', '.npmrc');
  put('node_modules/a/index.js', '.venv/pyvenv.cfg', '.git/HEAD', 'src/__pycache__/agent.pyc');
  symlinkSync('src/agent.py', path.join(folder, 'agents/main.py'));
  expect(await packed()).toEqual({
    files: ['.env.example', 'langgraph.json', 'main.py', 'src/agent.py'],
    secrets: ['.env', '.npmrc', 'sub/.env.local'],
  });
  expect(readlinkSync(path.join(folder, 'packed/main.py'))).toBe('src/agent.py');
});

it('leaves out what no image can have', async () => {
  put('langgraph.json');
  const server = createServer().listen(path.join(folder, 'agents/engine.sock'));
  await once(server, 'listening');
  expect((await packed()).files).toEqual(['langgraph.json']);
  server.close();
});

it('obeys the .dockerignore, what a later rule brings back as well', async () => {
  put('langgraph.json', 'data/big.csv', 'data/small.csv', 'notes.md', '.env');
  writeFileSync(path.join(folder, 'agents/.dockerignore'), 'data\n!data/small.csv\n*.md\n.env\n');
  const { files, secrets } = await packed();
  expect(files).toEqual(['.dockerignore', 'data/small.csv', 'langgraph.json']);
  expect(secrets).toEqual([]); // excluded files are not reported
});
