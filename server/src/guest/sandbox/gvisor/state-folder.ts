import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { isOfLostHost, makeMark } from '../../guest-mark.ts';
import { endProcesses } from '../../offspring.ts';
import type { ProcessEntry, ProcessTable } from '../../process-table.ts';
import { readCgroups, removeCgroupsOf, type Cgroups } from './cgroups.ts';

const PREFIX = 'agent-gvisor-';
/** Whose folder it is. */
const OWNER = 'owner';
/** A service that is just making its folder has not written its name yet. */
const YOUNG_MS = 60_000;

/** What gVisor keeps for one service: a folder for each guest, with its bundle and state. */
export interface StateFolder {
  readonly path: string;
  /** Makes the folder of a guest. */
  add(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes the service's folder, which only its user can enter. */
export async function makeStateFolder(): Promise<StateFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX));
  await writeFile(path.join(folder, OWNER), makeMark());
  return {
    path: folder,
    add: async (name) => {
      const made = path.join(folder, name);
      await mkdir(path.join(made, 'state'), { recursive: true });
      return made;
    },
    remove: () => removeState(folder),
  };
}

/** Removes a folder of state, and what runsc has mounted in it. */
export async function removeState(folder: string): Promise<void> {
  const mounts = (await currentMounts()).split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts) {
    if (!mount.startsWith(`${folder}/`)) continue;
    await promisify(execFile)('umount', ['-l', mount]).catch(() => undefined);
  }
  await rm(folder, { recursive: true, force: true });
}

/** The cgroups of this machine, if it has those that sandboxes need. */
export async function cgroupsOfMachine(): Promise<Cgroups | undefined> {
  return await readCgroups(await currentMounts());
}

/** Removes what services that were killed have left: processes, cgroups, mounts and folders. Never rejects. */
export async function removeAbandonedState(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const cgroups = await cgroupsOfMachine().catch(() => undefined);
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    try {
      if (!(await isAbandoned(folder))) continue;
      await endProcesses([], async (table) => ({
        found: await sandboxesIn(table, folder),
        spared: new Set(),
      }));
      if (cgroups) await removeCgroupsOf(cgroups, name);
      await removeState(folder);
    } catch {
      // Another service removes it at the same time.
    }
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const { uid, mtimeMs } = await stat(folder);
  if (uid !== process.getuid?.()) return false;
  const owner = await readFile(path.join(folder, OWNER), 'utf8').catch(() => '');
  return owner === '' ? Date.now() - mtimeMs > YOUNG_MS : isOfLostHost(owner);
}

/** Processes of runsc with their state in the folder: the sandbox itself clears its environment, but not this. */
async function sandboxesIn(table: ProcessTable, folder: string): Promise<ProcessEntry[]> {
  const found = await Promise.all(
    [...table.values()].map(async (entry) => {
      const args = await readFile(`/proc/${entry.pid}/cmdline`, 'utf8').catch(() => '');
      return args.split('\0').some((arg) => arg.startsWith(`--root=${folder}/`)) ? [entry] : [];
    }),
  );
  return found.flat();
}

function currentMounts(): Promise<string> {
  return readFile('/proc/self/mounts', 'utf8');
}
