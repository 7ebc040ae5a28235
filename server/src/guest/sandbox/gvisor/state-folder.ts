import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { endProcesses } from '../../process/offspring.ts';
import { forAbandonedFolders, makeOwnedFolder } from '../../process/owned-folder.ts';
import type { ProcessEntry, ProcessTable } from '../../process/process-table.ts';
import { readCgroups, removeCgroupsOf, type Cgroups } from './cgroups.ts';

const PREFIX = 'agent-gvisor-';

/** gVisor's files of one service: a folder for each guest, with its bundle and state. */
export interface StateFolder {
  readonly path: string;
  /** Creates the folder of a guest. */
  add(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates the service's folder, which only its user can enter. */
export async function makeStateFolder(): Promise<StateFolder> {
  const folder = await makeOwnedFolder(PREFIX);
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

/** Removes a state folder, and runsc's mounts in it. */
export async function removeState(folder: string): Promise<void> {
  const mounts = (await currentMounts()).split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts) {
    if (!mount.startsWith(`${folder}/`)) continue;
    await promisify(execFile)('umount', ['-l', mount]).catch(() => undefined);
  }
  await rm(folder, { recursive: true, force: true });
}

/** The cgroups of this machine, if it has the controllers that sandboxes need. */
export async function cgroupsOfMachine(): Promise<Cgroups | undefined> {
  return await readCgroups(await currentMounts());
}

/** Removes leftovers of killed services: processes, cgroups, mounts and folders. Never rejects. */
export async function removeAbandonedState(): Promise<void> {
  const cgroups = await cgroupsOfMachine().catch(() => undefined);
  await forAbandonedFolders(PREFIX, async (folder) => {
    await endProcesses([], async (table) => ({
      found: await sandboxesIn(table, folder),
      spared: new Set(),
    }));
    if (cgroups) await removeCgroupsOf(cgroups, path.basename(folder));
    await removeState(folder);
  });
}

/** Processes of runsc with their state in the folder: a sandbox clears its environment, but not its arguments. */
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
