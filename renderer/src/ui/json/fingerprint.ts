import { isRecord } from '../../api/json-record.ts';

const known = new WeakMap<object, number>();

/** A hash of 52 bits that equal JSON values share, in any order of keys; cached per object. */
export function fingerprint(value: unknown): number {
  if (typeof value !== 'object' || value === null) return hashText(tagged(value));
  const before = known.get(value);
  if (before !== undefined) return before;
  let high = Array.isArray(value) ? 17 : 31;
  let low = 7;
  if (Array.isArray(value)) {
    for (const item of value) {
      const part = fingerprint(item);
      high = Math.imul(high ^ upper(part), 0x9e3779b1) | 0;
      low = Math.imul((low ^ part) | 0, 0x85ebca6b) + high;
    }
  } else if (isRecord(value)) {
    // A sum, so that the order of keys does not matter.
    for (const key of Object.keys(value)) {
      const mixed = hashText(`${key}\u0000${fingerprint(value[key])}`);
      high = (high + upper(mixed)) | 0;
      low = (low + (mixed | 0)) | 0;
    }
  }
  const result = join(high, low);
  known.set(value, result);
  return result;
}

function tagged(value: unknown): string {
  return typeof value === 'string' ? `s${value}` : `p${String(value)}`;
}

function hashText(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return join(high, low);
}

function join(high: number, low: number): number {
  return (high & 0xfffff) * 2 ** 32 + (low >>> 0);
}

function upper(part: number): number {
  return Math.floor(part / 2 ** 32);
}
