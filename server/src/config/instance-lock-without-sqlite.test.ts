import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { acquireInstanceLock } from './instance-lock.ts';

// The result for Electron before its version 35: there SQLite would end the process.
vi.mock('./sqlite-runtime.ts', () => ({ hasSqlite: () => false }));

it('trusts a live process that claims to hold the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  const lock = acquireInstanceLock(folder);
  lock.setAddress('http://127.0.0.1:4711');
  expect(() => acquireInstanceLock(folder)).toThrow(
    `already served by process ${process.pid} at http://127.0.0.1:4711`,
  );
  lock.release();
  acquireInstanceLock(folder).release();
  rmSync(folder, { recursive: true });
});
