import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { POLICY_FILE_BYTES } from '../../model/limits/policy-limits.ts';
import { readPolicyFile } from './policy-files.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function made(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('reads a regular file, also behind a link', () => {
  const path = made('a.yaml', 'größe');
  symlinkSync(path, join(folder, 'link'));
  expect(readPolicyFile(path)).toEqual({ text: 'größe' });
  expect(readPolicyFile(join(folder, 'link'))).toEqual({ text: 'größe' });
});

it.each([
  [() => join(folder, 'none'), 'does not exist: correct the name'],
  [() => folder, 'is no regular file: name a file'],
  [() => '/dev/zero', 'is no regular file: name a file'],
  [() => made('latin', new Uint8Array([0xe4])), 'is no UTF-8: save it as UTF-8'],
])('reports what is wrong with a file', (path, problem) => {
  expect(readPolicyFile(path())).toEqual({ problem });
});

it('reads no more than the limit', () => {
  const path = made('large', '');
  truncateSync(path, POLICY_FILE_BYTES);
  expect(readPolicyFile(path)).toHaveProperty('text');
  truncateSync(path, POLICY_FILE_BYTES + 1);
  expect(readPolicyFile(path)).toEqual({ problem: 'has more than 4194304 bytes: split it' });
});
