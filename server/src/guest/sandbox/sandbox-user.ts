import { chmod, chown, stat } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { GuestDirectory } from '../process/guest-directory.ts';
import type { Mount } from '../pool/guest-program.ts';
import { isThere } from '../process/executable.ts';
import { type SandboxUser, sandboxUser } from '../process/owned-folder.ts';

/**
 * True when guests run as another user than the service, so that the ownership of files must change. Only root can do
 * this; user 0 of a rootless daemon is the user who runs the daemon.
 */
export function isAnotherUser({ uid }: SandboxUser): boolean {
  return process.getuid?.() === 0 && uid !== 0;
}

/** Gives the guest's user, and no other, access to the shared part of its private folder. */
export async function handOver(directory: GuestDirectory, user: SandboxUser): Promise<void> {
  if (!isAnotherUser(user)) return;
  const { shared, configFile, hostSocket, dialSocket, egressSocket } = directory;
  for (const target of [shared, configFile]) await chown(target, user.uid, user.gid);
  for (const socket of [hostSocket, dialSocket, egressSocket]) {
    // A job has no channels, and not every guest has a proxy.
    if (!(await isThere(socket))) continue;
    await chown(socket, user.uid, user.gid);
    await chmod(socket, 0o600);
  }
}

/** Lets an installer write to the folders that are created for it. */
export async function handOverWritable(mounts: readonly Mount[], user: SandboxUser): Promise<void> {
  if (!isAnotherUser(user)) return;
  for (const { from, isWritable } of mounts) {
    if (isWritable === true) await chown(from, user.uid, user.gid);
  }
}

/** Rejects with `guest_unavailable` if the service runs as root and the guests' user cannot read a folder. */
export async function requireReadable(folders: readonly string[]): Promise<void> {
  if (!isAnotherUser(sandboxUser())) return;
  for (const folder of folders) {
    const { mode } = await stat(folder);
    if ((mode & 0o005) === 0o005) continue;
    throw new ServiceError(
      'guest_unavailable',
      'Guests in the sandbox are not root and cannot read the agent folder; chmod -R o+rX it, or start the service as its owner.',
    );
  }
}
