import { requireRoom } from '../machine-room.ts';
import type { SandboxLimits } from '../port.ts';
import { unavailable } from './docker-trouble.ts';

/** Docker API, SystemInfo: the fields that are read here. */
export interface DaemonInfo {
  readonly OSType: string;
  readonly OperatingSystem: string;
  readonly ServerVersion: string;
  /** `name=seccomp,profile=builtin` */
  readonly SecurityOptions: readonly string[];
  readonly NCPU: number;
  readonly MemTotal: number;
  /** False if the daemon has no cgroups for it; it would only warn. */
  readonly MemoryLimit: boolean;
  readonly CpuCfsQuota: boolean;
}

/** The daemon's info, with permissive defaults for missing fields. */
export function daemonInfo(info: unknown): DaemonInfo {
  return {
    ...{ OSType: 'linux', OperatingSystem: '', ServerVersion: '', SecurityOptions: [] },
    ...{ NCPU: Infinity, MemTotal: Infinity, MemoryLimit: true, CpuCfsQuota: true },
    ...(info as Partial<DaemonInfo>), // typed by the API's own documentation
  };
}

/** Throws `guest_unavailable` with one sentence if the daemon cannot run guests as required. */
export function requireFit(
  info: DaemonInfo,
  socketPath: string,
  limits: SandboxLimits,
): { isRootless: boolean } {
  const { OSType, OperatingSystem, SecurityOptions } = info;
  if (OSType !== 'linux' || OperatingSystem === 'Docker Desktop') {
    throw unavailable(
      `The Docker daemon at ${socketPath} runs ${OperatingSystem || OSType} in a machine of its own, which shares no sockets with this one; use a Docker Engine of this machine.`,
    );
  }
  const options = SecurityOptions.map((option) => option.split(','));
  const seccomp = options.find((option) => option.includes('name=seccomp'));
  if (seccomp === undefined || seccomp.includes('profile=unconfined')) {
    throw unavailable(
      'The Docker daemon filters no system calls (seccomp), without which a container is too weak a sandbox; enable it in the daemon, or pass --sandbox gvisor.',
    );
  }
  requireRoom(limits, { cpus: info.NCPU, memoryBytes: info.MemTotal });
  requireCgroups(info, limits);
  return { isRootless: options.some((option) => option.includes('name=rootless')) };
}

/** A rootless daemon has no cgroups of a kind that is not delegated to its user. */
function requireCgroups(
  { MemoryLimit, CpuCfsQuota }: DaemonInfo,
  { memoryBytes, cpus }: SandboxLimits,
): void {
  const setting =
    memoryBytes !== undefined && !MemoryLimit
      ? '--memory'
      : cpus !== undefined && !CpuCfsQuota
        ? '--cpu'
        : undefined;
  if (setting === undefined) return;
  throw unavailable(
    `The Docker daemon cannot limit this: ${setting}; it has no cgroup of that kind, which for a rootless daemon systemd has to delegate.`,
  );
}
