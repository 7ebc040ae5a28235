import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

import { isIgnored, watchSource } from './watch-source.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

it('reports several changes once, also in folders below', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'watch-'));
  await mkdir(path.join(folder, 'inner'));
  let changes = 0;
  const changed = new Promise<void>((resolve) => {
    const watch = watchSource(
      folder,
      () => {
        changes += 1;
        watch.close();
        resolve();
      },
      silent,
    );
  });
  await writeFile(path.join(folder, 'a.py'), '1');
  await writeFile(path.join(folder, 'inner', 'b.py'), '1');
  await changed;
  expect(changes).toBe(1);
  await rm(folder, { recursive: true });
});

it('ignores what agents and tools write while they run', () => {
  const names = [
    '.venv/lib/x.py',
    'a/__pycache__/b.cpython-311.pyc',
    'node_modules/x/y.js',
    '.git/HEAD',
    'agent.py~',
    'venv.py',
    'lib/agent.py',
    'agent.json',
    '.env',
  ];
  expect(names.filter((name) => !isIgnored(name))).toEqual([
    'venv.py',
    'lib/agent.py',
    'agent.json',
    '.env',
  ]);
});
