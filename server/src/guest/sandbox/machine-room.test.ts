import { expect, it } from 'vitest';

import { requireRoom } from './machine-room.ts';

const GIB = 1024 ** 3;
const others = { pids: 10, openFiles: 20, tmpBytes: 30 };
const machine = { cpus: 2, memoryBytes: 4 * GIB };

it.each([[{}], [{ cpus: 2, memoryBytes: 4 * GIB }], [{ cpus: 0.5 }]])(
  'takes limits that the machine has: %j',
  (limits) => {
    expect(() => requireRoom({ ...others, ...limits }, machine)).not.toThrow();
  },
);

it.each([
  [
    { cpus: 64 },
    '--cpu 64 (guest.cpu_limit) is more than this machine has, which is 2 processors.',
  ],
  [
    { memoryBytes: 5 * GIB },
    '--memory 5Gi (guest.memory_limit) is more than this machine has, which is 4096Mi of memory.',
  ],
])('refuses %j', (limits, sentence) => {
  const refuse = (): void => requireRoom({ ...others, ...limits }, machine);
  expect(refuse).toThrow(expect.objectContaining({ code: 'guest_unavailable', message: sentence }));
});
