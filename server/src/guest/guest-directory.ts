import { chmod, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { boundFolder, unboundFolder } from './bounded-folder.ts';
import type { SandboxKind } from './sandbox/port.ts';
import { sandboxUser } from './sandbox/sandbox-user.ts';
import { endLostOffspring, leadsToUs } from './offspring.ts';
import { readSmallFile } from './small-file.ts';

/** A unix socket's path may have 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

const PREFIX = 'agent-guest-';

/** A folder whose host is still starting has no socket yet. */
const YOUNG_MS = 60_000;

/** Where the things of a guest's private folder are. */
export interface GuestPlaces {
  hostSocket: string;
  guestSocket: string;
  /** The proxy to the network, in sandboxes that have one. */
  egressSocket: string;
  configFile: string;
}

/** The private folder of one guest: its two sockets and its config file. */
export interface GuestDirectory extends GuestPlaces {
  path: string;
  /** Who the guest is, for the host that finds this folder after ours was killed. */
  pidFile: string;
  remove(): Promise<void>;
}

/**
 * Makes a folder that only this user can enter, short enough for sockets. One of a sandbox is writable for agents that
 * may write nowhere else on the disk: where the service may, it lies in memory and is bounded.
 */
export async function makeGuestDirectory(kind: SandboxKind): Promise<GuestDirectory> {
  const directory = await mkdtemp(path.join(parentFolder(), PREFIX));
  await chmod(directory, 0o700);
  if (kind !== 'none') await boundFolder(directory);
  return guestDirectory(directory);
}

/** The things of a private folder, where it is this one. */
export function placesIn(directory: string): GuestPlaces {
  return {
    hostSocket: path.join(directory, 'host.sock'),
    guestSocket: path.join(directory, 'guest.sock'),
    egressSocket: path.join(directory, 'egress.sock'),
    configFile: path.join(directory, 'config.json'),
  };
}

function guestDirectory(directory: string): GuestDirectory {
  return {
    ...placesIn(directory),
    path: directory,
    pidFile: path.join(directory, 'guest.pid'),
    remove: async () => {
      await unboundFolder(directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function parentFolder(): string {
  const longest = path.join(tmpdir(), `${PREFIX}XXXXXX`, 'egress.sock');
  return Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH ? tmpdir() : '/tmp';
}

/**
 * Removes what hosts that were killed have left behind, guests that did not notice included. Never touches what
 * belongs to a host that lives: its socket answers.
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
      // Another user's, or another host removes it at the same time.
    }
  }
}

async function isAbandoned({ path: directory, hostSocket }: GuestDirectory): Promise<boolean> {
  const found = await lstat(directory);
  if (!found.isDirectory()) return false;
  const { mtimeMs, uid } = found;
  if (process.getuid && uid !== process.getuid() && uid !== sandboxUser().uid) return false;
  if (!(await isSocketOrGone(hostSocket))) return isOld(mtimeMs);
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(hostSocket);
    socket.once('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : ''));
  });
  if (answer === 'ECONNREFUSED') return true;
  return answer === 'ENOENT' && isOld(mtimeMs);
}

/** A guest may have put a link in its place, which leads to a host that lives, or to something that never answers. */
async function isSocketOrGone(place: string): Promise<boolean> {
  const found = await lstat(place).catch(() => undefined);
  return found?.isSocket() ?? true;
}

function isOld(mtimeMs: number): boolean {
  return Date.now() - mtimeMs > YOUNG_MS;
}

async function killGuestOf({ path: directory, pidFile }: GuestDirectory): Promise<void> {
  const pid = Number(await readSmallFile(pidFile).catch(() => '0'));
  if (!(pid > 1)) return;
  // The number may be another process by now; ours has the folder in its command line. Without /proc the end of
  // stdin, which a guest watches, has to do.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!commandLine.includes(directory) || (await leadsToUs(pid))) return;
  process.kill(-pid, 'SIGKILL');
}
