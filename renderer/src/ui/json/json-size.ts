import { isRecord } from '../../api/json-record.ts';

/** Values that the page takes from the worker in addition to what it shows are no larger. */
export const SMALL_SIZE = 16 * 1024;
/** Larger values are parsed, printed and compared in the worker. */
export const WORKER_SIZE = 256 * 1024;
/** Larger values are shown by their outline; their parts load on demand. */
export const OUTLINE_SIZE = 1024 * 1024;

/** Counting a smaller value again costs less than caching it. */
const REMEMBERED_SIZE = 1024;

const known = new WeakMap<object, number>();

/** The length of the value's compact JSON text, nearly: escapes are not counted. Cached for large values. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item) + 1;
  else if (isRecord(value))
    for (const key of Object.keys(value)) size += key.length + 4 + sizeOf(value[key]);
  if (size >= REMEMBERED_SIZE) known.set(value, size);
  return size;
}

/** Whether the value's text is longer than the limit; looks no further than that. */
export function isLargerThan(value: unknown, limit: number): boolean {
  let remaining = limit;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') remaining -= next.length + 2;
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isRecord(next)) {
      for (const key of Object.keys(next)) {
        remaining -= key.length + 4;
        pending.push(next[key]);
      }
    } else remaining -= 4;
    if (remaining < 0 || pending.length > limit) return true;
  }
  return false;
}
