import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderOf } from './command-line.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'command-line-'));
  mkdirSync(path.join(base, 'app'));
  mkdirSync(path.join(base, 'agents'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it.each([
  [['electron', '--flag', 'app', 'agents'], 'agents'],
  [['agent-runtime', './agents/'], 'agents'],
  [['agent-runtime', 'missing', 'agents'], 'agents'],
  [['agent-runtime'], undefined],
  [['electron', 'app'], undefined],
])('%o names %s', (words, name) => {
  const appPath = path.join(base, 'app');
  const wanted = name === undefined ? undefined : path.join(base, name);
  expect(folderOf(words, { workingDir: base, appPath })).toBe(wanted);
});
