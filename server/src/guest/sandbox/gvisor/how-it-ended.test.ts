import { expect, it } from 'vitest';

import { howItEnded, type RunscEnd } from './how-it-ended.ts';

const log = (...messages: string[]): string =>
  messages.map((msg) => JSON.stringify({ msg, level: 'error', time: '…' })).join('');

const setUp = 'Error setting up root FS: mounting "/home/ada/agents": no such file';

it.each<[string, Partial<RunscEnd>, string]>([
  ['an end', { code: 0 }, 'exited with code 0'],
  ['an exit', { code: 7 }, 'exited with code 7'],
  ["a code of the agent's that runsc has, too", { code: 128 }, 'exited with code 128'],
  ['a signal within', { code: 137 }, 'was killed by SIGKILL'],
  ['a signal to runsc', { killedBy: 'SIGTERM' }, 'was killed by SIGTERM'],
  [
    'memory that ran out, whichever process died of it',
    { code: 137, outOfMemory: '512Mi' },
    'ran out of memory (limit 512Mi)',
  ],
  [
    'a program that the image lacks',
    { code: 128, log: log('starting: failed to load /usr/bin/python4: no such file or directory') },
    'could not be started: the image has no /usr/bin/python4',
  ],
  [
    'one that is not on its PATH',
    {
      code: 128,
      log: log('error finding executable "py" in PATH [/bin]: no such file or directory'),
    },
    'could not be started: the image has no py',
  ],
  [
    'a set-up that failed, without paths of this machine',
    { code: 128, log: log(setUp, 'running container: EOF') },
    "could not be started: gVisor failed to set it up, see the service's log",
  ],
])('reports how a guest ended: %s', (_, end, how) => {
  expect(howItEnded({ code: null, killedBy: null, log: '', ...end }).how).toBe(how);
});

it("keeps runsc's own words, the cause first", () => {
  const end = { code: 128, killedBy: null, log: log(setUp, 'running container: EOF') };
  expect(howItEnded(end).detail).toBe(`${setUp}; running container: EOF`);
});

it('knows a machine without user namespaces', () => {
  const message = 'gofer: fork/exec /proc/self/exe: operation not permitted';
  const { how } = howItEnded({ code: 128, killedBy: null, log: log(message) });
  expect(how).toContain('does not let this user make user namespaces');
});
