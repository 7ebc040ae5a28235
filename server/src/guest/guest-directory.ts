import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A unix socket's path may have 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

/** The private folder of one guest: its two sockets and its config file. */
export interface GuestDirectory {
  path: string;
  hostSocket: string;
  guestSocket: string;
  configFile: string;
  remove(): Promise<void>;
}

/** Makes a folder that only this user can enter, short enough for sockets. */
export async function makeGuestDirectory(parent: string = tmpdir()): Promise<GuestDirectory> {
  const longest = path.join(parent, 'guest-XXXXXX', 'guest.sock');
  const isShort = Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH;
  const directory = await mkdtemp(path.join(isShort ? parent : '/tmp', 'guest-'));
  await chmod(directory, 0o700);
  return {
    path: directory,
    hostSocket: path.join(directory, 'host.sock'),
    guestSocket: path.join(directory, 'guest.sock'),
    configFile: path.join(directory, 'config.json'),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
