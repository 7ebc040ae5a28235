import { ServiceError } from '../errors/service-error.ts';
import { parseContentHash } from '../model/ids.ts';

const SPECIAL = /[^a-z0-9-]/g;

/**
 * A thread's id as a name that is valid in every file system: characters other than lower-case letters, digits and
 * dashes are written as `_` and two hex digits, because some file systems ignore case and some reject dots and colons.
 */
export function threadName(threadId: string): string {
  return threadId.replaceAll(SPECIAL, (char) => {
    return `_${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** The id of such a name; undefined when the name is invalid. */
export function threadOfName(name: string): string | undefined {
  const id = name.replaceAll(/_([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return name !== '' && threadName(id) === name ? id : undefined;
}

/** True for the name of an object. */
export function isHash(name: string): boolean {
  return parseContentHash(name) !== undefined;
}

/** The name of an object. Only a valid hash becomes part of a path; otherwise `checkpoint_damaged`. */
export function objectName(hash: string): string {
  const name = parseContentHash(hash);
  if (name !== undefined) return name;
  throw new ServiceError('checkpoint_damaged', 'A payload is referenced by what is no hash.');
}
