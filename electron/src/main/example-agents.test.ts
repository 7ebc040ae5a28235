import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyExamples } from './example-agents.ts';

test('copies what is missing, and keeps what was edited', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [from, to] = [path.join(folder, 'installed'), path.join(folder, 'profile', 'examples')];
  await mkdir(path.join(from, 'tools'), { recursive: true });
  await writeFile(path.join(from, 'agent.json'), '{}');
  await writeFile(path.join(from, 'tools', 'one.py'), 'new');
  expect(await copyExamples(from, to)).toBe(to);
  await writeFile(path.join(to, 'agent.json'), 'edited');
  await rm(path.join(to, 'tools', 'one.py'));
  await copyExamples(from, to);
  expect(await readFile(path.join(to, 'agent.json'), 'utf8')).toBe('edited');
  expect(await readFile(path.join(to, 'tools', 'one.py'), 'utf8')).toBe('new');
});
