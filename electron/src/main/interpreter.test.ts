import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireInterpreter } from './interpreter.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'interpreter-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, output: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho '${output}'\n`);
  chmodSync(file, 0o755);
  return file;
}

it('takes a Python and a Node that agents run on', async () => {
  const programs = [program('python3', 'Python 3.12.1'), program('node', 'v24.1.0')];
  await expect(Promise.all(programs.map(requireInterpreter))).resolves.toHaveLength(2);
});

it.each([
  ['python3', 'Python 3.9.2', 'Agents need Python 3.10 or newer', 'Python 3.9.2'],
  ['node', 'v20.1.0', 'Agents need Node 22.18 or newer', 'v20.1.0'],
  ['ls', 'ls (GNU coreutils) 9.1', 'Agents need Python 3.10 or newer', 'ls (GNU coreutils) 9.1'],
])('refuses %s that responds with %s', async (name, output, wanted, found) => {
  const file = program(name, output);
  await expect(requireInterpreter(file)).rejects.toMatchObject({
    code: 'not_possible',
    message: `${wanted}; ${file} is ${found}.`,
  });
});

it('refuses what is no program', async () => {
  const file = path.join(folder, 'python.txt');
  await expect(requireInterpreter(file)).rejects.toMatchObject({
    message: `Agents need Python 3.10 or newer; ${file} is a program that does not respond to --version.`,
  });
});
