import { expect, test } from 'vitest';
import {
  absoluteLocation,
  editorLink,
  firstLocation,
  readTraceback,
  tracebackParts,
} from './read-traceback.ts';

test('a traceback links to the agent’s own line, not to a library’s', () => {
  const python = readTraceback(
    'Traceback (most recent call last):\n  File "/home/a b/agent.py", line 26, in decide\n    x\n  File "/v/site-packages/lib.py", line 3, in y\nKeyError: 1',
  );
  expect(
    tracebackParts(python).map(({ isForeign, frames, lines }) => [isForeign, frames, lines.length]),
  ).toEqual([
    [false, 1, 3],
    [true, 1, 1],
    [false, 0, 1],
  ]);
  const location = firstLocation(python);
  expect([location?.file, location?.line]).toEqual(['/home/a b/agent.py', 26]);
  expect(location && editorLink(location)).toBe('vscode://file/home/a%20b/agent.py:26');
  const javascript = readTraceback(
    'Error: x\n    at inner (/app/node_modules/l/x.js:1:2)\n    at run (file:///app/agent.ts:7:11)',
  );
  expect(firstLocation(javascript)).toMatchObject({ file: '/app/agent.ts', line: 7, column: 11 });
});

test('a relative file is in the folder of the agents, and has no location while that is unknown', () => {
  const [line] = readTraceback('  File "agent.py", line 3, in <module>');
  const location = line?.location;
  expect(location && absoluteLocation(location, '/home/ada/desk')?.file).toBe(
    '/home/ada/desk/agent.py',
  );
  expect(location && absoluteLocation(location, undefined)).toBe(undefined);
});
