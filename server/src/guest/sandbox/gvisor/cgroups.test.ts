import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { limitFiles, readCgroups } from './cgroups.ts';

const limits = {
  memoryBytes: 1024,
  cpus: 0.5,
  pids: 100,
  openFiles: 64,
  tmpBytes: 1024,
};

const first = `tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0`;

it('finds controllers of version 1 where each is mounted', async () => {
  const cgroups = await readCgroups(`${first}\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0`);
  const folders = {
    memory: '/sys/fs/cgroup/memory',
    cpu: '/sys/fs/cgroup/cpu,cpuacct',
    pids: '/sys/fs/cgroup/pids',
    cpuacct: '/sys/fs/cgroup/cpu,cpuacct',
  };
  expect(cgroups).toEqual({ version: 1, folders });
  expect(limitFiles({ version: 1, folders }, limits)).toEqual([
    { folder: folders.pids, file: 'pids.max', value: '556' },
    { folder: folders.memory, file: 'memory.limit_in_bytes', value: '1024' },
    {
      folder: folders.memory,
      file: 'memory.memsw.limit_in_bytes',
      value: '1024',
      isOptional: true,
    },
    { folder: folders.cpu, file: 'cpu.cfs_period_us', value: '100000' },
    { folder: folders.cpu, file: 'cpu.cfs_quota_us', value: '50000' },
  ]);
});

it('finds those of version 2 where all are, and needs all three', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cgroups-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mounts = `cgroup2 ${folder} cgroup2 rw 0 0`;
  writeFileSync(path.join(folder, 'cgroup.controllers'), 'cpu pids\n');
  expect(await readCgroups(mounts)).toBeUndefined();
  writeFileSync(path.join(folder, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
  const folders = { memory: folder, cpu: folder, pids: folder };
  expect(await readCgroups(mounts)).toEqual({ version: 2, folders });
  expect(limitFiles({ version: 2, folders }, limits)).toEqual([
    { folder, file: 'pids.max', value: '556' },
    { folder, file: 'memory.max', value: '1024' },
    { folder, file: 'memory.swap.max', value: '0', isOptional: true },
    { folder, file: 'memory.oom.group', value: '1', isOptional: true },
    { folder, file: 'cpu.max', value: '50000 100000' },
  ]);
});

it('limits only what is asked for', () => {
  const folders = { memory: '/m', cpu: '/c', pids: '/p' };
  const { memoryBytes: _, cpus: __, ...rest } = limits;
  expect(limitFiles({ version: 1, folders }, rest).map(({ file }) => file)).toEqual(['pids.max']);
});
