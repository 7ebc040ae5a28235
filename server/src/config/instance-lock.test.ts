import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { acquireInstanceLock } from './instance-lock.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Another process that holds the lock and waits. */
async function holdElsewhere(): Promise<ChildProcess> {
  const module = JSON.stringify(new URL('./instance-lock.ts', import.meta.url).href);
  const script = `
    import { acquireInstanceLock } from ${module};
    acquireInstanceLock(${JSON.stringify(folder)}).setAddress('http://127.0.0.1:4711');
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

it('makes a folder with its parents', () => {
  const lock = acquireInstanceLock(join(folder, 'a', 'b'));
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['instance.json', 'instance.lock']);
  lock.release();
});

it('makes the data directory for its user alone', () => {
  const lock = acquireInstanceLock(join(folder, 'a', 'b'));
  const files = [
    join(folder, 'a'),
    join(folder, 'a', 'b'),
    join(folder, 'a', 'b', 'instance.lock'),
    join(folder, 'a', 'b', 'instance.json'),
  ];
  expect(files.map((file) => statSync(file).mode & 0o077)).toEqual([0, 0, 0, 0]);
  lock.release();
});

it.each(['/proc/no-such-folder/data', '/dev/null/data'])('refuses %s at once', (path) => {
  expect(() => acquireInstanceLock(path)).toThrow(/cannot be made; name another with --data-dir/);
});

it('reports when nothing can be written into the folder', () => {
  expect(() => acquireInstanceLock('/proc')).toThrow(
    'The data directory /proc cannot be written; name another with --data-dir.',
  );
});

it('names the process and address that hold the folder', async () => {
  const child = await holdElsewhere();
  try {
    expect(() => acquireInstanceLock(folder)).toThrow(
      `This agent folder is already served by process ${child.pid} at http://127.0.0.1:4711; its data is in ${folder}.`,
    );
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

it('takes over from a killed process, also when another has its id by now', async () => {
  const child = await holdElsewhere();
  child.kill('SIGKILL');
  await once(child, 'exit');
  // A process and a later one with the same id are the same where the system does not report when it started.
  const left = join(folder, 'instance.json');
  writeFileSync(left, readFileSync(left, 'utf8').replace(`${child.pid}`, `${process.pid}`));
  acquireInstanceLock(folder).release();
  expect(readdirSync(folder)).toEqual(['instance.lock']);
});

it('waits for another one that only looks whether the folder is free', async () => {
  acquireInstanceLock(folder).release();
  // As SQLite does before it locks the file: two that start at the same time would both be refused.
  // The other one ends its look only when it sees that we wait: we have a lock that nothing else may have then.
  const look = `
    import Database from 'better-sqlite3';
    const open = () => new Database(${JSON.stringify(join(folder, 'instance.lock'))}, { timeout: 0 });
    const [database, probe] = [open(), open()];
    database.exec('BEGIN');
    database.prepare('SELECT * FROM sqlite_schema').all();
    process.stdout.write('looking');
    const timer = setInterval(() => {
      try {
        probe.exec('BEGIN IMMEDIATE; ROLLBACK');
      } catch (error) {
        if (error.code !== 'SQLITE_BUSY') throw error;
        database.exec('COMMIT');
        clearInterval(timer);
      }
    }, 5);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', look], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const lock = acquireInstanceLock(folder);
  expect(readdirSync(folder)).toEqual(['instance.json', 'instance.lock']);
  // It has seen that we waited.
  expect(await once(child, 'exit')).toEqual([0, null]);
  lock.release();
});

it('names no process while the holder of the folder has not written its name', () => {
  const lock = acquireInstanceLock(folder);
  writeFileSync(join(folder, 'instance.json'), '{"id":');
  expect(() => acquireInstanceLock(folder)).toThrow(
    /already served by another process which is starting/,
  );
  lock.release();
});

it('does not touch a file that is not a lock', () => {
  const path = join(folder, 'instance.lock');
  writeFileSync(path, 'x'.repeat(4096));
  expect(() => acquireInstanceLock(folder)).toThrow(/is not the lock of a service; .* remove it/);
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(4096));
});

it('can be taken again after it was released, also in the same process', () => {
  const first = acquireInstanceLock(folder);
  expect(() => acquireInstanceLock(folder)).toThrow(/which is starting/);
  first.release();
  first.release();
  const second = acquireInstanceLock(folder);
  first.release();
  expect(() => acquireInstanceLock(folder)).toThrow(/already served/);
  second.release();
});
