import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { SandboxLimits } from '../port.ts';

/** A period of the processor's scheduler, in microseconds. */
const PERIOD = 100_000;
/** Additional processes of the sandbox: its kernel's threads, and a thread of the machine for each of the guest. */
const PIDS_FACTOR = 3;
const OWN_PIDS = 256;

/** The controllers' folders of this machine: one for each with version 1, the same with version 2. */
export interface Cgroups {
  readonly version: 1 | 2;
  readonly folders: Readonly<Record<'memory' | 'cpu' | 'pids', string>> & {
    /** Only counts the CPU time of guests, without a limit. Version 1 may have it as a separate controller. */
    readonly cpuacct?: string;
  };
}

/** The mounted cgroups, from the text of /proc/self/mounts; undefined without all three controllers. */
export async function readCgroups(mounts: string): Promise<Cgroups | undefined> {
  const lines = mounts.split('\n').map((line) => line.split(' '));
  const ofController = (name: string): string | undefined =>
    lines.find(
      ([, , type, options = '']) => type === 'cgroup' && options.split(',').includes(name),
    )?.[1];
  const [memory, cpu, pids, cpuacct] = ['memory', 'cpu', 'pids', 'cpuacct'].map(ofController);
  if (memory !== undefined && cpu !== undefined && pids !== undefined) {
    const counting = cpuacct === undefined ? {} : { cpuacct };
    return { version: 1, folders: { memory, cpu, pids, ...counting } };
  }
  const unified = lines.find(([, , type]) => type === 'cgroup2')?.[1];
  if (unified === undefined) return undefined;
  const controllers = await readFile(path.join(unified, 'cgroup.controllers'), 'utf8').catch(
    () => '',
  );
  const words = controllers.trim().split(' ');
  if (!['memory', 'cpu', 'pids'].every((name) => words.includes(name))) return undefined;
  return { version: 2, folders: { memory: unified, cpu: unified, pids: unified } };
}

/** The files and values of the limits; files that a kernel may lack are optional. */
export function limitFiles(
  { version, folders }: Cgroups,
  { memoryBytes, cpus, pids }: SandboxLimits,
): { folder: string; file: string; value: string; isOptional?: true }[] {
  const isFirst = version === 1;
  const files = [
    { folder: folders.pids, file: 'pids.max', value: String(pids * PIDS_FACTOR + OWN_PIDS) },
  ];
  const optional = { folder: folders.memory, isOptional: true } as const;
  const memory = String(memoryBytes);
  const quota = String(Math.round((cpus ?? 0) * PERIOD));
  return [
    ...files,
    ...(memoryBytes === undefined
      ? []
      : isFirst
        ? [
            { folder: folders.memory, file: 'memory.limit_in_bytes', value: memory },
            { ...optional, file: 'memory.memsw.limit_in_bytes', value: memory },
          ]
        : [
            { folder: folders.memory, file: 'memory.max', value: memory },
            { ...optional, file: 'memory.swap.max', value: '0' },
            // Kills the whole sandbox, not only its largest process.
            { ...optional, file: 'memory.oom.group', value: '1' },
          ]),
    ...(cpus === undefined
      ? []
      : isFirst
        ? [
            { folder: folders.cpu, file: 'cpu.cfs_period_us', value: String(PERIOD) },
            { folder: folders.cpu, file: 'cpu.cfs_quota_us', value: quota },
          ]
        : [{ folder: folders.cpu, file: 'cpu.max', value: `${quota} ${PERIOD}` }]),
  ];
}

/** The cgroup of one guest, `<name of the service's>/<name>` below each controller. */
export class GuestCgroup {
  readonly #cgroups: Cgroups;
  readonly #name: string;

  private constructor(cgroups: Cgroups, name: string) {
    this.#cgroups = cgroups;
    this.#name = name;
  }

  /** Creates it with its limits; rejects if this user may not. */
  static async make(cgroups: Cgroups, name: string, limits: SandboxLimits): Promise<GuestCgroup> {
    const cgroup = new GuestCgroup(cgroups, name);
    try {
      for (const folder of cgroup.#folders()) {
        if (cgroups.version === 2) await passOn(path.dirname(path.dirname(folder)));
        await mkdir(path.dirname(folder), { recursive: true });
        if (cgroups.version === 2) await passOn(path.dirname(folder));
        await mkdir(folder);
      }
      for (const { folder, file, value, isOptional } of limitFiles(cgroups, limits)) {
        const written = writeFile(path.join(folder, name, file), value);
        await (isOptional ? written.catch(() => undefined) : written);
      }
      return cgroup;
    } catch (error) {
      await cgroup.remove();
      throw error;
    }
  }

  /** A process that writes its id to all of these files joins it, with all processes that it starts. */
  get entries(): string[] {
    return this.#folders().map((folder) => path.join(folder, 'cgroup.procs'));
  }

  /** How many processes the kernel has killed because memory ran out. */
  async oomKills(): Promise<number> {
    const file = this.#cgroups.version === 1 ? 'memory.oom_control' : 'memory.events';
    const folder = path.join(this.#cgroups.folders.memory, this.#name);
    const text = await readFile(path.join(folder, file), 'utf8').catch(() => '');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Ends the remaining processes in it, and removes it. */
  async remove(): Promise<void> {
    for (const folder of this.#folders()) await removeCgroup(folder);
  }

  #folders(): string[] {
    const folders = Object.values(this.#cgroups.folders);
    return [...new Set(folders)].map((folder) => path.join(folder, this.#name));
  }
}

/** Removes the cgroups of a service, and ends all processes in them. */
export async function removeCgroupsOf(cgroups: Cgroups, service: string): Promise<void> {
  for (const folder of new Set(Object.values(cgroups.folders))) {
    await removeCgroup(path.join(folder, service));
  }
}

/** Most attempts and the pause between them, until the kernel has released killed processes. */
const MOST_TRIES = 80;
const TRY_AGAIN_MS = 25;

async function removeCgroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await removeCgroup(path.join(folder, entry.name));
  }
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const pids = await readFile(path.join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
    for (const pid of pids.split('\n').map(Number)) if (pid > 1) kill(pid);
    const isGone = await rmdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isGone) return;
    await delay(TRY_AGAIN_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

/** Version 2: enables these controllers for the child cgroups. */
async function passOn(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'cgroup.subtree_control'), '+memory +cpu +pids');
}
