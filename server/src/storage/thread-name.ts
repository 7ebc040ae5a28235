import { ServiceError } from '../errors/service-error.ts';
import { parseContentHash } from '../model/ids.ts';

const SPECIAL = /[^a-z0-9-]/g;

/**
 * A thread's id as a name that every file system takes: other characters than lower-case letters, digits and dashes
 * stand as `_` and two hex digits, because some file systems fold the case and some dislike dots and colons.
 */
export function threadName(threadId: string): string {
  return threadId.replaceAll(SPECIAL, (char) => {
    return `_${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** The id behind such a name; undefined when it is none. */
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

/** The name of an object. Nothing else ever becomes part of a path: `checkpoint_damaged` for what is no hash. */
export function objectName(hash: string): string {
  const name = parseContentHash(hash);
  if (name !== undefined) return name;
  throw new ServiceError('checkpoint_damaged', 'A payload is referenced by what is no hash.');
}
