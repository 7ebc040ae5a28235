import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { SHARED_MEMORY_BYTES } from '../../../model/limits/sandbox-limits.ts';
import type { GuestDirectory } from '../../process/guest-directory.ts';
import type { GuestProgram, Mount, SandboxedProgram } from '../../pool/guest-program.ts';
import { inside, insidePaths } from '../inside.ts';
import type { SandboxLimits } from '../port.ts';
import type { SandboxUser } from '../../process/owned-folder.ts';

export interface ContainerSettings {
  program: GuestProgram;
  sandboxed: SandboxedProgram;
  directory: GuestDirectory;
  user: SandboxUser;
  limits: SandboxLimits;
  network: 'none' | 'host';
  labels: Readonly<Record<string, string>>;
  /** Folders that the image declares as volumes, which would be writable. */
  volumes: readonly string[];
}

/** Docker's settings for one guest. Access that they do not grant is denied. */
export function containerSettings(settings: ContainerSettings): ContainerCreateOptions {
  const { program, sandboxed, user, labels } = settings;
  return {
    Image: sandboxed.image,
    // Replaces the image's own entry point.
    Entrypoint: [program.command, ...program.args, insidePaths.configFile],
    Cmd: [],
    Env: Object.entries(program.environment).map(([name, value]) => `${name}=${value}`),
    WorkingDir: program.workingDirectory,
    User: `${user.uid}:${user.gid}`,
    Labels: { ...labels },
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // Its stdin ends with the attached connection, so a guest ends when its service is killed.
    StdinOnce: true,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(settings),
  };
}

function hostConfig(settings: ContainerSettings): HostConfig & { CgroupnsMode: 'private' } {
  const { sandboxed, directory, limits, volumes } = settings;
  const mounts = [{ from: directory.shared, to: inside.privateFolder }, ...sandboxed.mounts];
  const { memoryBytes, cpus } = limits;
  return {
    // Removes the container with the guest, also when no service is left to do it.
    AutoRemove: true,
    Mounts: mounts.map(bindMount),
    Tmpfs: {
      // Docker's default is noexec, but agents compile code and load it.
      '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${limits.tmpBytes}`,
      ...Object.fromEntries(volumes.map((folder) => [folder, 'ro,noexec,nosuid,nodev,size=4k'])),
    },
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    Privileged: false,
    NetworkMode: sandboxed.network ?? settings.network,
    IpcMode: 'private',
    // Docker mounts it noexec, nosuid and nodev, with this size.
    ShmSize: SHARED_MEMORY_BYTES,
    CgroupnsMode: 'private',
    // Reaps zombies of agents' processes, and passes signals on.
    Init: true,
    PidsLimit: limits.pids,
    Ulimits: [
      ulimit('nofile', limits.openFiles),
      // This machine writes core dumps, and message queues do not count to the guest's memory.
      ulimit('core', 0),
      ulimit('msgqueue', 0),
    ],
    ...(memoryBytes !== undefined && { Memory: memoryBytes, MemorySwap: memoryBytes }),
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
    // Only the service reads agents' output: Docker would store it on its disk without a bound.
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no' },
  };
}

function bindMount({ from, to, isWritable = false }: Mount): BindMount {
  return {
    Type: 'bind',
    Source: from,
    Target: to,
    ReadOnly: !isWritable,
    BindOptions: { Propagation: 'rprivate' },
  };
}

function ulimit(name: string, value: number): { Name: string; Soft: number; Hard: number } {
  return { Name: name, Soft: value, Hard: value };
}

type BindMount = NonNullable<HostConfig['Mounts']>[number];
