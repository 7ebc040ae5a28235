import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';

import { processStart } from '../../config/process-identity.ts';

/** The variable in the environment of a guest, inherited by all processes that it starts. */
export const MARK_VARIABLE = 'SERVICE_GUEST_MARK';

let host: string | undefined;

/**
 * A mark for one guest, `<host's id>/<its start>/<its namespace>/<random>`. It is no secret: only processes of this
 * user are ended by it, and any process that can set it in one may also end that one.
 */
export function makeMark(): string {
  host ??= [process.pid, processStart(process.pid) ?? '', namespace()].join('/');
  return `${host}/${randomBytes(16).toString('hex')}`;
}

/** True when the mark was made by a host of this machine that has exited. */
export function isOfLostHost(mark: string): boolean {
  const [, pid, start, where] = /^([1-9]\d*)\/([^/]+)\/([^/]+)\/[0-9a-f]{32}$/.exec(mark) ?? [];
  // In another namespace, such as that of a container, ids belong to other processes.
  if (pid === undefined || where !== namespace()) return false;
  return processStart(Number(pid)) !== start;
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '-';
  }
}
