import type { GuestProgram, Mount } from '../../guest-program.ts';
import type { SandboxLimits } from '../port.ts';

/** Where a guest within finds its private folder. */
export const PRIVATE_FOLDER = '/run/agent-runtime';

/** The user that agents are within, where the host may be another one than its own: nobody's on common systems. */
export const GUEST_USER = 65_532;

/** For Python's multiprocessing and browsers; it counts as memory. */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

export interface OciConfigOptions {
  readonly program: GuestProgram;
  /** The path of config.json within. */
  readonly configFile: string;
  /** On this machine. */
  readonly privateFolder: string;
  readonly root: string;
  /** What the image itself sets. */
  readonly imageEnvironment: readonly string[];
  readonly user: number;
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
      user: { uid: user, gid: user },
      args: [program.command, ...program.args, options.configFile],
      env: environmentOf(options),
      cwd: program.workingDirectory,
      capabilities: {
        bounding: none,
        effective: none,
        inheritable: none,
        permitted: none,
        ambient: none,
      },
      // gVisor counts its own processes and threads by this one, with and without cgroups.
      rlimits: [rlimit('RLIMIT_NPROC', limits.pids), rlimit('RLIMIT_NOFILE', limits.openFiles)],
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

function environmentOf({ program, imageEnvironment }: OciConfigOptions): string[] {
  const named = new Map([['HOME', '/tmp']]);
  const add = (line: string): void => {
    const at = line.indexOf('=');
    if (at > 0) named.set(line.slice(0, at), line.slice(at + 1));
  };
  for (const line of imageEnvironment) add(line);
  for (const [name, value] of Object.entries(program.environment)) named.set(name, value);
  return [...named].map(([name, value]) => `${name}=${value}`);
}

function mountsOf(options: OciConfigOptions): Record<string, unknown>[] {
  const { program, limits, hasNetwork } = options;
  const resolver: Mount[] = hasNetwork
    ? [{ from: '/etc/resolv.conf', to: '/etc/resolv.conf' }]
    : [];
  return [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs' },
    tmpfs('/dev/shm', SHARED_MEMORY_BYTES),
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['ro'] },
    tmpfs('/tmp', limits.tmpBytes),
    ...[...resolver, ...(program.sandboxed?.mounts ?? [])].map(bind),
    bind({ from: options.privateFolder, to: PRIVATE_FOLDER, isWritable: true }),
  ];
}

function tmpfs(destination: string, bytes: number): Record<string, unknown> {
  const options = ['nosuid', 'nodev', 'mode=1777', `size=${bytes}`];
  return { destination, type: 'tmpfs', source: 'tmpfs', options };
}

function bind({ from, to, isWritable = false }: Mount): Record<string, unknown> {
  const options = ['rbind', isWritable ? 'rw' : 'ro', 'nosuid', 'nodev'];
  return { destination: to, type: 'bind', source: from, options };
}

function rlimit(type: string, value: number): Record<string, unknown> {
  return { type, hard: value, soft: value };
}
