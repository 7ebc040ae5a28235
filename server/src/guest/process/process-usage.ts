import { readFileSync } from 'node:fs';

/** The memory that a process uses now and the CPU time that it has used. An unknown member is absent. */
export interface ProcessUsage {
  readonly memoryBytes?: number;
  /** Of all processors, since its start. */
  readonly cpuSeconds?: number;
}

/** The root of cgroups on Linux, with version 1 a folder for each controller. */
const CGROUPS = '/sys/fs/cgroup';

/** Linux counts the times of processes in hundredths of a second, whatever its clock (proc_pid_stat(5), USER_HZ). */
const TICKS_PER_SECOND = 100;
/** Two of those. */
const READ_EVERY_MS = 20;

/**
 * The usage of a process with all its descendants, if it is in its own cgroup, as sandboxes are; otherwise of the
 * process alone. Empty on systems other than Linux, and for a process that has exited.
 */
export function processUsage(pid: number): ProcessUsage {
  return usageReader(pid)();
}

/** The same for repeated calls: the source of the figures is looked up once, for a process that stays in its cgroup. */
export function usageReader(pid: number): () => ProcessUsage {
  let source: (() => ProcessUsage) | undefined;
  return () => (source ??= sourceOf(pid))?.() ?? {};
}

/** The source of a process's figures; undefined if it has exited. */
function sourceOf(pid: number): (() => ProcessUsage) | undefined {
  const own = cgroupsOf('self');
  const cgroups = cgroupsOf(String(pid));
  const memory = cgroups.get('memory') ?? cgroups.get('');
  if (memory === undefined) return undefined;
  if (memory === (own.get('memory') ?? own.get(''))) return readSeldom(() => ofProcess(pid));
  return cgroups.has('memory') ? () => ofVersion1(cgroups, own) : () => ofVersion2(memory);
}

/** The figures of a plain process change by hundredths of a second, and short runs ask for them twice each. */
function readSeldom(readNow: () => ProcessUsage): () => ProcessUsage {
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: ProcessUsage = {};
  return () => {
    const now = performance.now();
    if (now - readAt < READ_EVERY_MS) return latest;
    readAt = now;
    return (latest = readNow());
  };
}

/** The path of each controller of version 1, and that of version 2 without a name. */
function cgroupsOf(pid: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of read(`/proc/${pid}/cgroup`).split('\n')) {
    const [, names, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const name of names?.split(',') ?? []) paths.set(name, path ?? '');
  }
  return paths;
}

function ofVersion1(cgroups: Map<string, string>, own: Map<string, string>): ProcessUsage {
  const accounted = cgroups.get('cpuacct');
  const nanoseconds =
    accounted === undefined || accounted === own.get('cpuacct')
      ? ''
      : read(`${CGROUPS}/cpuacct${accounted}/cpuacct.usage`);
  return usage(
    read(`${CGROUPS}/memory${cgroups.get('memory')}/memory.usage_in_bytes`),
    nanoseconds === '' ? undefined : Number(nanoseconds) / 1e9,
  );
}

function ofVersion2(path: string): ProcessUsage {
  const [, microseconds] = /^usage_usec (\d+)$/m.exec(read(`${CGROUPS}${path}/cpu.stat`)) ?? [];
  return usage(
    read(`${CGROUPS}${path}/memory.current`),
    microseconds === undefined ? undefined : Number(microseconds) / 1e6,
  );
}

function ofProcess(pid: number): ProcessUsage {
  const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  const stat = read(`/proc/${pid}/stat`);
  // After the name, which may contain any character: the 14th and 15th field of the file.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return usage(
    kilobytes === undefined ? '' : String(Number(kilobytes) * 1024),
    Number.isFinite(ticks) ? ticks / TICKS_PER_SECOND : undefined,
  );
}

function usage(memory: string, cpuSeconds: number | undefined): ProcessUsage {
  return {
    ...(memory.trim() !== '' && { memoryBytes: Number(memory) }),
    ...(cpuSeconds !== undefined && { cpuSeconds }),
  };
}

/** Reads a kernel file, which needs no disk access. Empty if it does not exist. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
