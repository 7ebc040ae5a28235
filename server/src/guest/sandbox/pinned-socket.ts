import { closeSync, constants, fstatSync, openSync } from 'node:fs';

import { ServiceError } from '../../errors/service-error.ts';

/** Linux's, which Node does not name: the file is only referred to, as a socket cannot be opened. */
const O_PATH = 0o10000000;

/** A socket that a stranger has made, held so that its name cannot come to mean another one. */
export interface PinnedSocket {
  /** Leads to that socket for as long as it is not closed. */
  readonly path: string;
  close(): void;
}

/**
 * Takes hold of the socket at this path. Throws `guest_unavailable` when there is none, or something else: a link would
 * lead to whatever socket of this machine the stranger wants. Linux only.
 */
export function pinSocket(socketPath: string): PinnedSocket {
  const fd = openPath(socketPath);
  if (!fstatSync(fd).isSocket()) {
    closeSync(fd);
    throw new ServiceError(
      'guest_unavailable',
      'The guest has put something else in place of its socket.',
    );
  }
  return { path: `/proc/self/fd/${fd}`, close: () => closeSync(fd) };
}

function openPath(socketPath: string): number {
  try {
    return openSync(socketPath, O_PATH | constants.O_NOFOLLOW);
  } catch (cause) {
    // Its own words would name a path of this machine.
    throw new ServiceError('guest_unavailable', 'The guest has no socket any more.', { cause });
  }
}
