import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import type { LaunchConfiguration } from '../ipc/contract.ts';
import { withLaunchConfiguration } from './launch-json.ts';

const python: LaunchConfiguration = {
  name: 'Agent Runtime: attach to Python',
  type: 'debugpy',
  request: 'attach',
  connect: { host: '127.0.0.1', port: 5678 },
  pathMappings: [{ localRoot: '${workspaceFolder}', remoteRoot: '/agents' }],
  justMyCode: false,
};

function read(text: string): unknown {
  const errors: unknown[] = [];
  const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return value;
}

describe('launch.json with our entry', () => {
  it('is a new file where there was none, or an empty one', () => {
    const { text, isNew } = withLaunchConfiguration(undefined, python);
    expect([JSON.parse(text), isNew]).toEqual([
      { version: '0.2.0', configurations: [python] },
      true,
    ]);
    expect(withLaunchConfiguration(' \n', python).text).toBe(text);
  });

  it('keeps the existing comments, order, trailing commas and other entries', () => {
    const before = `{
  // Use IntelliSense to learn about possible attributes.
  "version": "0.2.0",
  "inputs": [], /* none */
  "configurations": [
    {
      "name": "Tests", // ours
      "type": "debugpy",
    }, // the last one
  ],
}
`;
    const { text, isNew } = withLaunchConfiguration(before, python);
    expect(isNew).toBe(true);
    for (const line of before.split('\n')) {
      const expected = line.replace(/^ *}, \/\/ the last one$/, '// the last one');
      expect(text).toContain(expected.trim());
    }
    expect(read(text)).toEqual({
      version: '0.2.0',
      inputs: [],
      configurations: [{ name: 'Tests', type: 'debugpy' }, python],
    });
  });

  it('gives an entry of that name its new values and keeps what the user added to it', () => {
    const entry = JSON.stringify({ ...python, preLaunchTask: 'build' }, undefined, 4);
    const before = `{"configurations": [{"name": "a"},\n// mine\n${entry.replace('{', '{ // kept')}]}`;
    const { text, isNew } = withLaunchConfiguration(before, {
      ...python,
      connect: { host: '127.0.0.1', port: 7000 },
    });
    expect(isNew).toBe(false);
    expect(text).toContain('// mine');
    expect(text).toContain('{ // kept');
    expect(read(text)).toEqual({
      configurations: [
        { name: 'a' },
        { ...python, connect: { host: '127.0.0.1', port: 7000 }, preLaunchTask: 'build' },
      ],
    });
    expect(withLaunchConfiguration(text, python).text).toBe(before);
  });

  it('is the same text when nothing differs', () => {
    const { text } = withLaunchConfiguration(undefined, python);
    expect(withLaunchConfiguration(text, python)).toEqual({ text, isNew: false });
  });

  it('keeps tabs, Windows line endings and the byte order mark', () => {
    const before = '\uFEFF{\r\n\t"version": "0.2.0"\r\n}\r\n';
    const { text } = withLaunchConfiguration(before, python);
    expect(text.startsWith('\uFEFF{\r\n\t"version": "0.2.0",\r\n\t"configurations": [')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(read(text.slice(1))).toEqual({ version: '0.2.0', configurations: [python] });
  });

  it.each([
    ['{"configurations": [}', /syntax error in line 1/],
    ['{\n"a": 1,\n"configurations": oops\n}', /syntax error in line 3/],
    ['[]', /not an object/],
    ['{"configurations": {}}', /not a list/],
  ])('is left alone when it cannot be read: %s', (text, reason) => {
    expect(() => withLaunchConfiguration(text, python)).toThrow(reason);
  });
});
