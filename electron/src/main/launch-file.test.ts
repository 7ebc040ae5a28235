import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LaunchConfiguration } from '../ipc/contract.ts';
import { openLaunchFile } from './launch-file.ts';

const entry: LaunchConfiguration = {
  name: 'Agent Runtime: attach to Python',
  type: 'debugpy',
  request: 'attach',
  connect: { host: '127.0.0.1', port: 5678 },
  pathMappings: [],
  justMyCode: false,
};

describe('.vscode/launch.json of the agent folder', () => {
  let folder: string;
  const file = (): string => path.join(folder, '.vscode', 'launch.json');
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'launch-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is created, and removed with its folder by an undo', async () => {
    const launchFile = openLaunchFile(() => folder);
    expect(await launchFile.add(entry)).toEqual({ file: file(), isNew: true });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ configurations: [entry] });
    await launchFile.undo();
    expect(existsSync(path.join(folder, '.vscode'))).toBe(false);
    await expect(launchFile.undo()).rejects.toThrow('nothing to undo');
  });

  it('is what it was after an undo, unless it has been edited', async () => {
    mkdirSync(path.dirname(file()));
    const before = '{\n    // mine\n    "configurations": [],\n}\n';
    writeFileSync(file(), before);
    const launchFile = openLaunchFile(() => folder);
    await launchFile.add(entry);
    expect(readFileSync(file(), 'utf8')).toContain('// mine');
    await launchFile.undo();
    expect(readFileSync(file(), 'utf8')).toBe(before);

    await launchFile.add(entry);
    writeFileSync(file(), 'something else');
    await expect(launchFile.undo()).rejects.toThrow('edited since');
    expect(readFileSync(file(), 'utf8')).toBe('something else');
    await expect(launchFile.add(entry)).rejects.toThrow('left as it is');
  });

  it('reports why it was not changed', async () => {
    await expect(openLaunchFile(() => undefined).add(entry)).rejects.toThrow('No agent folder');
    writeFileSync(path.join(folder, '.vscode'), 'no folder');
    await expect(openLaunchFile(() => folder).add(entry)).rejects.toThrow(/was not changed: /);
  });
});
