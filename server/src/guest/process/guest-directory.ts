import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSmallFile, sandboxUser } from './owned-folder.ts';
import { endLostOffspring, leadsToUs } from './offspring.ts';
import { isThere } from './executable.ts';

/** A unix socket's path may have 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

const PREFIX = 'agent-guest-';

/** The sub-folder that the guest sees. */
const SHARED = 'in';

/** A folder whose host is still starting has no socket yet. */
const YOUNG_MS = 60_000;

/** The paths by which a guest and its host communicate. */
export interface GuestPaths {
  hostSocket: string;
  /** Created by the guest. */
  guestSocket: string;
  /** A guest in a sandbox connects here for the host's calls to it. */
  dialSocket: string;
  /** The proxy to the network, in sandboxes that have one. */
  egressSocket: string;
  configFile: string;
}

/** The private folder of one guest: its sockets and its config file. */
export interface GuestDirectory extends GuestPaths {
  path: string;
  /** The sub-folder that the guest sees, read-only in a sandbox. */
  shared: string;
  /** The host's calls to a guest in a sandbox connect here. The guest does not see it. */
  frontSocket: string;
  /** The guest's process id, for a host that finds this folder after ours was killed. */
  pidFile: string;
  remove(): Promise<void>;
}

/** Makes a folder that only this user can enter, with a path short enough for sockets. */
export async function makeGuestDirectory(): Promise<GuestDirectory> {
  const directory = guestDirectory(await mkdtemp(path.join(parentFolder(), PREFIX)));
  await chmod(directory.path, 0o700);
  await mkdir(directory.shared, { mode: 0o700 });
  return directory;
}

/** The same paths, in this folder as the shared one. */
export function placesIn(folder: string): GuestPaths {
  return {
    hostSocket: path.join(folder, 'host.sock'),
    guestSocket: path.join(folder, 'guest.sock'),
    dialSocket: path.join(folder, 'dial.sock'),
    egressSocket: path.join(folder, 'egress.sock'),
    configFile: path.join(folder, 'config.json'),
  };
}

function guestDirectory(directory: string): GuestDirectory {
  const shared = path.join(directory, SHARED);
  return {
    ...placesIn(shared),
    path: directory,
    shared,
    frontSocket: path.join(directory, 'front.sock'),
    pidFile: path.join(directory, 'guest.pid'),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function parentFolder(): string {
  const longest = path.join(tmpdir(), `${PREFIX}XXXXXX`, SHARED, 'egress.sock');
  return Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH ? tmpdir() : '/tmp';
}

/**
 * Removes what killed hosts have left behind, including guests that are still running. Never touches folders of a
 * running host: its socket accepts connections.
 */
export async function removeAbandonedGuests(): Promise<void> {
  await endLostOffspring();
  const parent = parentFolder();
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const directory = guestDirectory(path.join(parent, name));
    try {
      if (!(await isAbandoned(directory))) continue;
      await killGuestOf(directory);
      await directory.remove();
    } catch {
      // It is another user's, or another host removes it at the same time.
    }
  }
}

async function isAbandoned(guest: GuestDirectory): Promise<boolean> {
  const { path: directory, shared, hostSocket } = guest;
  const found = await lstat(directory);
  if (!found.isDirectory()) return false;
  const { mtimeMs, uid } = found;
  if (process.getuid && uid !== process.getuid() && uid !== sandboxUser().uid) return false;
  // Not complete; if it has other contents, it is of a service of another version, which may be running.
  if (!(await isThere(shared))) return isOld(mtimeMs) && (await readdir(directory)).length === 0;
  if (!(await isSocketOrGone(hostSocket))) return isOld(mtimeMs);
  const response = await new Promise<string>((resolve) => {
    const socket = connect(hostSocket);
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : ''));
  });
  if (response === 'ECONNREFUSED') return true;
  return response === 'ENOENT' && isOld(mtimeMs);
}

/** A guest may have replaced it by a link, to the socket of a running host or to one that never responds. */
async function isSocketOrGone(target: string): Promise<boolean> {
  const found = await lstat(target).catch(() => undefined);
  return found?.isSocket() ?? true;
}

function isOld(mtimeMs: number): boolean {
  return Date.now() - mtimeMs > YOUNG_MS;
}

async function killGuestOf({ path: directory, pidFile }: GuestDirectory): Promise<void> {
  const pid = Number(await readSmallFile(pidFile).catch(() => '0'));
  if (!(pid > 1)) return;
  // The id may belong to another process by now; a guest has the folder in its command line. Without /proc the guest
  // ends only by the end of its stdin, which it watches.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!commandLine.includes(directory) || (await leadsToUs(pid))) return;
  process.kill(-pid, 'SIGKILL');
}
