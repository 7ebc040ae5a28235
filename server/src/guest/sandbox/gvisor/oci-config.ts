import { SHARED_MEMORY_BYTES } from '../../../model/limits/sandbox-limits.ts';
import type { GuestProgram, Mount } from '../../pool/guest-program.ts';
import { inside } from '../inside.ts';
import type { SandboxLimits } from '../port.ts';
import type { SandboxUser } from '../../process/owned-folder.ts';

export interface OciConfigOptions {
  readonly program: GuestProgram;
  readonly mounts: readonly Mount[];
  /** The path of config.json within the sandbox. */
  readonly configFile: string;
  /** The path of the private folder on this machine. */
  readonly privateFolder: string;
  readonly root: string;
  /** The user within the sandbox. */
  readonly user: SandboxUser;
  readonly limits: SandboxLimits;
  /** The host's network, instead of none. */
  readonly hasNetwork: boolean;
}

/** The config.json of an OCI bundle (runtime-spec 1.2). */
export function ociConfig(options: OciConfigOptions): Record<string, unknown> {
  const { program, limits, user } = options;
  const none: string[] = [];
  return {
    ociVersion: '1.2.0',
    process: {
      terminal: false,
      user: { ...user },
      args: [program.command, ...program.args, options.configFile],
      env: Object.entries(program.environment).map(([name, value]) => `${name}=${value}`),
      cwd: program.workingDirectory,
      capabilities: {
        bounding: none,
        effective: none,
        inheritable: none,
        permitted: none,
        ambient: none,
      },
      // gVisor enforces NPROC on the guest's processes and threads, with and without cgroups.
      rlimits: [
        rlimit('RLIMIT_NPROC', limits.pids),
        rlimit('RLIMIT_NOFILE', limits.openFiles),
        rlimit('RLIMIT_CORE', 0),
      ],
      noNewPrivileges: true,
    },
    root: { path: options.root, readonly: true },
    hostname: 'guest',
    mounts: mountsOf(options),
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        ...(options.hasNetwork ? [] : [{ type: 'network' }]),
      ],
    },
  };
}

function mountsOf(options: OciConfigOptions): Record<string, unknown>[] {
  const { mounts, limits, hasNetwork } = options;
  const resolver: Mount[] = hasNetwork
    ? [{ from: '/etc/resolv.conf', to: '/etc/resolv.conf' }]
    : [];
  return [
    { destination: '/proc', type: 'proc', source: 'proc' },
    // Read-only: guests of a rootless service are its owner 0, and its size is not limited.
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['ro', 'nosuid'] },
    tmpfs('/dev/shm', SHARED_MEMORY_BYTES, ['noexec']),
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['ro'] },
    tmpfs('/tmp', limits.tmpBytes),
    ...[...resolver, ...mounts].map(bind),
    bind({ from: options.privateFolder, to: inside.privateFolder }),
  ];
}

function tmpfs(
  destination: string,
  bytes: number,
  also: readonly string[] = [],
): Record<string, unknown> {
  const options = ['nosuid', 'nodev', ...also, 'mode=1777', `size=${bytes}`];
  return { destination, type: 'tmpfs', source: 'tmpfs', options };
}

function bind({ from, to, isWritable = false }: Mount): Record<string, unknown> {
  const options = ['rbind', isWritable ? 'rw' : 'ro', 'nosuid', 'nodev'];
  return { destination: to, type: 'bind', source: from, options };
}

function rlimit(type: string, value: number): Record<string, unknown> {
  return { type, hard: value, soft: value };
}
