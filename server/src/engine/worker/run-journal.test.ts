import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { newRunUuid } from '../../threads/new-ids.ts';
import { RunJournal } from './run-journal.ts';
import type { EngineConnection } from '../client/connection.ts';

const thread = 'thread' as ThreadId; // a valid id

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'active-runs-'));
  return () => rmSync(folder, { recursive: true });
});

const noted = (): string[] => readdirSync(join(folder, 'active-runs')).sort();

it('writes and removes nothing for a run or a thread whose id is none', () => {
  const database = join(folder, 'engine.db');
  writeFileSync(database, 'the threads of all users');
  const runs = new RunJournal(folder, 'process');
  const forged = ['../engine.db', '../../engine.db', database, '', '.', 'x'.repeat(3_000)];
  for (const runUuid of forged as RunUuid[]) {
    runs.add(thread, runUuid);
    runs.remove(thread, runUuid);
  }
  const run = newRunUuid();
  for (const threadId of ['../engine.db', '', 'a\nb'] as ThreadId[]) {
    runs.add(threadId, run);
    runs.remove(threadId, run);
  }
  expect([noted(), readdirSync(folder).sort()]).toEqual([[], ['active-runs', 'engine.db']]);
  expect(readFileSync(database, 'utf8')).toBe('the threads of all users');
});

it('distinguishes runs of two threads that have one uuid', () => {
  const runs = new RunJournal(folder, 'process');
  const run = newRunUuid();
  const copy = 'copy' as ThreadId; // a valid id
  runs.add(thread, run);
  runs.add(copy, run);
  expect(noted()).toHaveLength(2);
  runs.remove(copy, run);
  const [left = ''] = noted();
  expect(readFileSync(join(folder, 'active-runs', left), 'utf8')).toBe('thread\nprocess');
});

it('removes what is no note of a run, and queries no engine about it', async () => {
  const runs = new RunJournal(folder, 'process');
  const file = (name: string): string => join(folder, 'active-runs', name);
  writeFileSync(file('notes.txt'), 'thread\nprocess');
  writeFileSync(file(newRunUuid()), '../thread\nprocess');
  mkdirSync(file('folder'));
  const noEngine = {} as EngineConnection; // asking it would throw
  expect(await runs.failLost(noEngine)).toBe(0);
  expect(noted()).toEqual(['folder']);
});
