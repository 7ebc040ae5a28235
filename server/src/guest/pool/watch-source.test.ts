import { once } from 'node:events';
import { watch as fsWatch } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { isIgnored, watchSource, type SourceWatch } from './watch-source.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

let folder = '';
let changes = 0;
let watch: SourceWatch;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'watch-'));
  await mkdir(path.join(folder, 'inner'));
  await mkdir(path.join(folder, '.venv', 'lib'), { recursive: true });
  changes = 0;
  watch = watchSource(
    [folder],
    () => {
      changes += 1;
    },
    silent,
  );
});

afterEach(async () => {
  vi.useRealTimers();
  watch.close();
  await rm(folder, { recursive: true });
});

const write = (...parts: string[]): Promise<void> => writeFile(path.join(folder, ...parts), 'x');

it('reports several changes once, also in folders below', async () => {
  await write('a.py');
  await write('inner', 'b.py');
  await vi.waitFor(() => expect(changes).toBe(1), 15_000);
});

it('follows folders that come later', async () => {
  await mkdir(path.join(folder, 'later'));
  await vi.waitFor(() => expect(changes).toBe(1), 15_000);
  await write('later', 'c.py');
  await vi.waitFor(() => expect(changes).toBe(2), 15_000);
});

it('follows a second folder', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'watch-'));
  watch.follow([folder, other]);
  await writeFile(path.join(other, 'd.py'), 'x');
  await vi.waitFor(() => expect(changes).toBe(1), 15_000);
  await rm(other, { recursive: true });
});

it('does not look into environments', async () => {
  // A change that is noticed starts the time in which others may follow: nothing has to be waited for.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const change = async (...parts: string[]): Promise<void> => {
    const seen = fsWatch(path.join(folder, ...parts, '..'));
    const event = once(seen, 'change');
    await write(...parts);
    await event;
    seen.close();
  };
  await change('.venv', 'lib', 'd.py');
  expect(vi.getTimerCount()).toBe(0);
  await change('inner', 'e.py');
  expect(vi.getTimerCount()).toBe(1);
});

it('ignores what agents and tools write while they run', () => {
  const names = [
    '.venv',
    '__pycache__',
    'x.pyc',
    'node_modules',
    '.git',
    'agent.py~',
    '4913',
    'a.db-wal',
  ];
  expect(names.filter((name) => !isIgnored(name))).toEqual([]);
  expect(['venv.py', 'agent.py', 'agent.json', '.env'].filter(isIgnored)).toEqual([]);
});
