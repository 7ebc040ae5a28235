import { expect, it } from 'vitest';

import { interpreterVersion, isOlder } from './interpreter-version.ts';

it.each([
  ['3.11.2', '3.12', true],
  ['3.12.3', '3.12', false],
  ['3.9.18', '3.11-bookworm', true],
  ['24.1.0', '20', false],
  ['18.20.0', '20', true],
  ['22.17.1', '22.18', true],
])('decides whether %s is older than %s: %s', (version, wanted, isThat) => {
  expect(isOlder(version, wanted)).toBe(isThat);
});

it('takes the number out of the output of the interpreter', async () => {
  const options = {
    environment: {},
    workingDirectory: process.cwd(),
    signal: new AbortController().signal,
  };
  expect(await interpreterVersion(process.execPath, options)).toBe(process.versions.node);
});
