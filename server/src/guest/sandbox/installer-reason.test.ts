import { expect, it } from 'vitest';

import { installerReason } from './job-output.ts';

const log = 'npm error A complete log of this run can be found in: /opt/tmp/_logs/debug-0.log';

it.each([
  [
    [
      'npm error code E403',
      'npm error 403 403 Agents may not reach 127.0.0.1:80 - GET http://x',
      log,
    ],
    '403 Agents may not reach 127.0.0.1:80 - GET http://x',
  ],
  [
    [
      ...['npm error config prefix cannot be changed from project config: /x/.npmrc.'],
      ...['npm error code ENOENT', 'npm error syscall open', 'npm error path /x/poisoned.tgz'],
      ...['npm error errno -2', "npm error enoent ENOENT: no such file or directory, open '/x'"],
      ...['npm error enoent This is related to npm not being able to find a file.', log],
    ],
    "ENOENT: no such file or directory, open '/x'",
  ],
  [
    [
      ...['npm error code 2', 'npm error path /x', 'npm error command failed'],
      ...['npm error command sh -c node look.cjs', 'npm error look.cjs is broken', log],
    ],
    'look.cjs is broken',
  ],
  [['npm error must provide string spec', log], 'must provide string spec'],
  [['npm warn old', 'ERROR: No matching distribution found for x'], undefined],
  [[], undefined],
])('is the most informative lines of npm: %j', (lines, reason) => {
  expect(installerReason(lines)).toBe(reason);
});
