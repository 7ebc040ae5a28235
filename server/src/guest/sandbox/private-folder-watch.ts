import { type FSWatcher, lstatSync, type Stats, watch } from 'node:fs';
import path from 'node:path';

import { ServiceError } from '../../errors/service-error.ts';
import type { GuestDirectory } from '../guest-directory.ts';

export interface PrivateFolderWatch {
  /** Resolves with what the guest did: `was killed: it wrote …`. */
  readonly fault: Promise<string>;
  close(): void;
}

/**
 * Tells when a guest in a sandbox makes anything in its private folder but its one socket. Where it is
 * not bounded (`bounded-folder.ts`) it lies on this machine's disk, and a file can be removed while it grows: so nothing may
 * begin there. The kernel does not tell of everything: this is no bound. Throws `guest_unavailable` where nothing more can
 * be watched.
 */
export function watchPrivateFolder(directory: GuestDirectory): PrivateFolderWatch {
  const [itself, config, socket] = [
    directory.path,
    directory.configFile,
    directory.guestSocket,
  ].map((place) => path.basename(place));
  const configBytes = found(directory.configFile)?.size;
  const told = new Map<string, number>();
  const isAllowed = (event: string, name: string): boolean => {
    const now = found(path.join(directory.path, name));
    if (event !== 'rename') {
      return name === config ? now?.isFile() === true && now.size === configBytes : isSocket(now);
    }
    const times = (told.get(name) ?? 0) + 1;
    told.set(name, times);
    // Twice is made and removed, which a file that goes on growing may be.
    if (times > 1) return false;
    // Under its own name the folder's rights are told, which its host changes once.
    return name === itself ? now === undefined : name === socket && isSocket(now);
  };
  const watcher = open(directory.path);
  watcher.on('error', () => undefined); // the folder is gone
  const fault = new Promise<string>((resolve) => {
    watcher.on('change', (event: string, name: string | null) => {
      if (name !== null && isAllowed(event, name)) return;
      watcher.close();
      resolve('was killed: it wrote to its private folder, which may hold only its socket');
    });
  });
  return { fault, close: () => watcher.close() };
}

function open(folder: string): FSWatcher {
  try {
    return watch(folder, { persistent: false });
  } catch (cause) {
    throw new ServiceError(
      'guest_unavailable',
      'This machine lets the service watch no more folders; raise fs.inotify.max_user_watches and max_user_instances.',
      { cause },
    );
  }
}

function isSocket(found: Stats | undefined): boolean {
  return found?.isSocket() === true;
}

function found(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}
