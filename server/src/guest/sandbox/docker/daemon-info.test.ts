import { expect, it } from 'vitest';

import { daemonInfo, requireFit } from './daemon-info.ts';

const limits = { cpus: 1, memoryBytes: 1024, pids: 10, openFiles: 20, tmpBytes: 30 };
const usual = {
  ...{ OSType: 'linux', OperatingSystem: 'Debian GNU/Linux 12 (bookworm)' },
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=cgroupns'],
  ...{ NCPU: 2, MemTotal: 4096, MemoryLimit: true, CpuCfsQuota: true },
};
const fit = (changes: Partial<typeof usual>) =>
  requireFit(daemonInfo({ ...usual, ...changes }), '/run/docker.sock', limits);

it('takes a daemon of this machine, and knows whether it is rootless', () => {
  expect(fit({})).toEqual({ isRootless: false });
  const SecurityOptions = ['name=seccomp,profile=/etc/docker/seccomp.json', 'name=rootless'];
  expect(fit({ SecurityOptions })).toEqual({ isRootless: true });
});

it.each([
  [
    'of another machine',
    { OperatingSystem: 'Docker Desktop' },
    /^The Docker daemon at \/run.* in a machine of its own/,
  ],
  ['for Windows', { OSType: 'windows', OperatingSystem: '' }, / runs windows in a machine of/],
  ['without seccomp', { SecurityOptions: ['name=cgroupns'] }, /filters no system calls/],
  [
    'with seccomp switched off',
    { SecurityOptions: ['name=seccomp,profile=unconfined'] },
    /filters/,
  ],
  ['with too few processors', { NCPU: 0.5 }, /^--cpu 1 .* is more than this machine has/],
  ['with too little memory', { MemTotal: 512 }, /^--memory 1Ki .* is more than this machine has/],
  ['that limits no memory', { MemoryLimit: false }, /cannot limit this: --memory; /],
  ['that limits no processors', { CpuCfsQuota: false }, /cannot limit this: --cpu; /],
])('refuses one %s, with one sentence', (_, changes, sentence) => {
  expect(() => fit(changes)).toThrow(
    expect.objectContaining({
      code: 'guest_unavailable',
      message: expect.stringMatching(sentence) as string,
    }),
  );
});
