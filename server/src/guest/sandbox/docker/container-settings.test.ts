import { expect, it } from 'vitest';

import type { GuestDirectory } from '../../process/guest-directory.ts';
import { containerSettings, type ContainerSettings } from './container-settings.ts';

const settings: ContainerSettings = {
  program: {
    language: 'python',
    command: 'python3',
    args: ['guest.py'],
    environment: { GREETING: 'a=b' },
    workingDirectory: '/agent',
    config: {},
  },
  sandboxed: { image: 'sha256:1', mounts: [{ from: '/home/ada/agents', to: '/agent' }] },
  directory: { shared: '/tmp/agent-guest-1/in' } as GuestDirectory, // no more of it is read
  user: { uid: 1000, gid: 100 },
  limits: { pids: 10, openFiles: 20, tmpBytes: 30 },
  network: 'none',
  labels: { whose: 'ours' },
  volumes: ['/data'],
};

it('gives a container the limits that were set, and no more', () => {
  const limited = { cpus: 0.5, memoryBytes: 512, ...settings.limits };
  const { HostConfig } = containerSettings({ ...settings, limits: limited });
  expect(HostConfig).toMatchObject({
    ...{ Memory: 512, MemorySwap: 512, NanoCpus: 500_000_000, PidsLimit: 10 },
    Ulimits: [
      { Name: 'nofile', Soft: 20, Hard: 20 },
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
    ],
  });
  const unlimited = containerSettings(settings).HostConfig;
  expect(Object.keys(unlimited ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(Memory|NanoCpus)/)]),
  );
});

it('opens nothing but what a guest needs', () => {
  const { HostConfig, ...rest } = containerSettings(settings);
  expect(rest).toMatchObject({
    Entrypoint: ['python3', 'guest.py', '/run/agent-runtime/config.json'],
    Cmd: [],
    Env: ['GREETING=a=b'],
    User: '1000:100',
    Healthcheck: { Test: ['NONE'] },
    ...{ OpenStdin: true, StdinOnce: true, Tty: false },
  });
  const bind = { Type: 'bind', BindOptions: { Propagation: 'rprivate' } };
  expect(HostConfig).toMatchObject({
    Mounts: [
      { ...bind, Source: '/tmp/agent-guest-1/in', Target: '/run/agent-runtime', ReadOnly: true },
      { ...bind, Source: '/home/ada/agents', Target: '/agent', ReadOnly: true },
    ],
    Tmpfs: {
      '/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=30',
      // A volume of the image's would be a writable folder without a bound.
      '/data': 'ro,noexec,nosuid,nodev,size=4k',
    },
    ...{ ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'] },
    ...{
      Privileged: false,
      NetworkMode: 'none',
      IpcMode: 'private',
      ShmSize: 67_108_864,
      Init: true,
      AutoRemove: true,
    },
    LogConfig: { Type: 'none' },
  });
  expect(HostConfig).not.toHaveProperty('Devices');
  expect(HostConfig).not.toHaveProperty('CapAdd');
});

it('gives the network of this machine only to a program that is to have it', () => {
  const sandboxed = { ...settings.sandboxed, network: 'host' as const };
  expect(containerSettings({ ...settings, sandboxed }).HostConfig?.NetworkMode).toBe('host');
});
