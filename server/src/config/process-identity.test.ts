import { expect, it } from 'vitest';

import { processStart } from './process-identity.ts';

it('knows this process, and none that is a group of them to kill(2)', () => {
  expect(processStart(process.pid)).toMatch(/./);
  expect([0, -1, -process.pid].map((pid) => processStart(pid))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
