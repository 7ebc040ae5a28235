import { expect, it } from 'vitest';

import { ociConfig, type OciConfigOptions } from './oci-config.ts';

const options: OciConfigOptions = {
  program: {
    language: 'python',
    command: 'python3',
    args: ['guest.py'],
    environment: { GREETING: 'a=b' },
    workingDirectory: '/agent',
    config: {},
  },
  mounts: [{ from: '/home/ada/agents', to: '/agent' }],
  configFile: '/run/agent-runtime/config.json',
  privateFolder: '/tmp/agent-guest-1/in',
  root: '/trees/1',
  user: { uid: 0, gid: 0 },
  limits: { pids: 10, openFiles: 20, tmpBytes: 30 },
  hasNetwork: false,
};

it('opens nothing but what a guest needs, and bounds what it may write', () => {
  const tmpfs = { type: 'tmpfs', source: 'tmpfs' };
  expect(ociConfig(options)).toMatchObject({
    process: {
      user: { uid: 0, gid: 0 },
      args: ['python3', 'guest.py', '/run/agent-runtime/config.json'],
      env: ['GREETING=a=b'],
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      rlimits: [
        { type: 'RLIMIT_NPROC', hard: 10, soft: 10 },
        { type: 'RLIMIT_NOFILE', hard: 20, soft: 20 },
        { type: 'RLIMIT_CORE', hard: 0, soft: 0 },
      ],
      noNewPrivileges: true,
    },
    root: { path: '/trees/1', readonly: true },
    mounts: [
      { destination: '/proc' },
      // Guests of a rootless service are its owner.
      { destination: '/dev', ...tmpfs, options: ['ro', 'nosuid'] },
      {
        ...{ destination: '/dev/shm', ...tmpfs },
        options: ['nosuid', 'nodev', 'noexec', 'mode=1777', 'size=67108864'],
      },
      { destination: '/sys', options: ['ro'] },
      { destination: '/tmp', ...tmpfs, options: ['nosuid', 'nodev', 'mode=1777', 'size=30'] },
      {
        destination: '/agent',
        source: '/home/ada/agents',
        options: ['rbind', 'ro', 'nosuid', 'nodev'],
      },
      { destination: '/run/agent-runtime', options: ['rbind', 'ro', 'nosuid', 'nodev'] },
    ],
    linux: { namespaces: ['pid', 'ipc', 'uts', 'mount', 'network'].map((type) => ({ type })) },
  });
});

it('leaves out the namespace of the network for a guest that has that of this machine', () => {
  expect(ociConfig({ ...options, hasNetwork: true })).toMatchObject({
    linux: { namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
  });
});
