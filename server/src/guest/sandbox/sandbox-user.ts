import { chmod, chown, stat } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { GuestDirectory } from '../process/guest-directory.ts';
import type { Mount } from '../pool/guest-program.ts';
import { isThere } from '../process/executable.ts';
import { type SandboxUser, sandboxUser } from '../process/owned-folder.ts';

/**
 * True when somebody else than the service's user runs the guests, so that files are to be handed over. Only root may; the
 * user 0 of a rootless daemon is the one who runs it.
 */
export function isAnotherUser({ uid }: SandboxUser): boolean {
  return process.getuid?.() === 0 && uid !== 0;
}

/** Lets the guest into what it sees of its private folder, and nobody else. */
export async function handOver(directory: GuestDirectory, user: SandboxUser): Promise<void> {
  if (!isAnotherUser(user)) return;
  const { shared, configFile, hostSocket, dialSocket, egressSocket } = directory;
  for (const place of [shared, configFile]) await chown(place, user.uid, user.gid);
  for (const socket of [hostSocket, dialSocket, egressSocket]) {
    // A job has no channels, and not every guest a proxy.
    if (!(await isThere(socket))) continue;
    await chown(socket, user.uid, user.gid);
    await chmod(socket, 0o600);
  }
}

/** Lets an installer write into the folders that are made for it. */
export async function handOverWritable(mounts: readonly Mount[], user: SandboxUser): Promise<void> {
  if (!isAnotherUser(user)) return;
  for (const { from, isWritable } of mounts) {
    if (isWritable === true) await chown(from, user.uid, user.gid);
  }
}

/** A service of root runs guests as somebody who may not read what is root's alone; `guest_unavailable` says so. */
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
