import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import {
  IMAGE_AGENT_BYTES,
  IMAGE_AGENT_FILE_BYTES,
  IMAGE_AGENT_FILES,
} from '../../model/limits/image-limits.ts';
import { copyImageFolder, type ImageEntry } from './image-folder.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'image-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text = 'x', size = text.length): ImageEntry => ({
  path: name,
  kind: 'file',
  size,
  content: () => Promise.resolve(Buffer.from(text)),
});

async function copy(...entries: ImageEntry[]): ReturnType<typeof copyImageFolder> {
  async function* all(): AsyncGenerator<ImageEntry> {
    await Promise.resolve();
    yield* entries;
  }
  return await copyImageFolder(all(), path.join(folder, 'agent'));
}

const at = (name: string): string => path.join(folder, 'agent', name);

it('holds files and folders, and neither links nor packages', async () => {
  const link: ImageEntry = { ...file('link.py'), kind: 'other' };
  const empty: ImageEntry = { ...file('empty'), kind: 'folder' };
  const found = await copy(
    ...[file('langgraph.json', '{}'), file('src/agent.py'), link, empty],
    ...[file('node_modules/a/index.js'), file('.venv/pyvenv.cfg')],
  );
  expect(found).toEqual({ copied: 2, leftOut: 1 });
  expect(readFileSync(at('langgraph.json'), 'utf8')).toBe('{}');
  const there = ['src/agent.py', 'empty', 'link.py', 'node_modules', '.venv'].map((name) =>
    existsSync(at(name)),
  );
  expect(there).toEqual([true, true, false, false, false]);
});

it.each(['../out.py', '/etc/x', 'a//b', './a', 'a/../../b', 'a\0b', String.raw`..\out`])(
  'refuses the path %j',
  async (name) => {
    await expect(copy(file(name))).rejects.toMatchObject({ code: 'guest_unavailable' });
    expect(existsSync(path.join(folder, 'out.py'))).toBe(false);
  },
);

it('refuses a file that occurs twice, which could be another one then', async () => {
  await expect(copy(file('a.py'), file('a.py'))).rejects.toThrow('EEXIST');
});

it('reads no large file, not too many of them, and not too much in all', async () => {
  await copy(file('model.bin', 'x', IMAGE_AGENT_FILE_BYTES + 1));
  expect(readFileSync(at('model.bin'), 'utf8')).toBe('');
  const claims = Array.from({ length: IMAGE_AGENT_BYTES / IMAGE_AGENT_FILE_BYTES + 1 }, (_, n) =>
    file(`part-${n}`, 'x', IMAGE_AGENT_FILE_BYTES),
  );
  await expect(copy(...claims)).rejects.toThrow(`larger than ${IMAGE_AGENT_BYTES} bytes`);
  const links = Array.from({ length: IMAGE_AGENT_FILES + 1 }, (): ImageEntry => ({
    ...file('link'),
    kind: 'other',
  }));
  await expect(copy(...links)).rejects.toThrow(`more than ${IMAGE_AGENT_FILES} files`);
});
