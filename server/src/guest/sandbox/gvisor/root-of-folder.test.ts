import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { rootEntries } from './root-of-folder.ts';

let root = '';
let secret = '';
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'root-entries-'));
  [root, secret] = [path.join(folder, 'root'), path.join(folder, 'secret')];
  for (const name of [path.join(root, 'real/src'), secret]) mkdirSync(name, { recursive: true });
  writeFileSync(path.join(secret, 'langgraph.json'), '{}');
  writeFileSync(path.join(root, 'real/src/agent.py'), 'text');
});
afterEach(() => rmSync(path.dirname(root), { recursive: true, force: true }));

async function found(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { kind, path: name, content } of rootEntries(root, folder))
    lines.push(`${kind} ${name}${kind === 'file' ? ` ${String(await content())}` : ''}`);
  return lines.toSorted();
}

it('goes through a folder and follows no link, neither below it nor on the way to it', async () => {
  symlinkSync(secret, path.join(root, 'real/linked'));
  expect(await found('/real')).toEqual(['file src/agent.py text', 'folder src', 'other linked']);
  symlinkSync(secret, path.join(root, 'agent'));
  expect(await found('/agent')).toEqual([]);
  expect(await found('/real/linked')).toEqual([]);
  expect(await found('/nowhere')).toEqual([]);
});
