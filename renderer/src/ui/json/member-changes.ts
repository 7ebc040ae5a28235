import { isRecord } from '../../api/json-record.ts';

/** How an edited object differs from the one before. */
export interface MemberChanges {
  /** Members that are new or different, with their values. */
  readonly changed: Readonly<Record<string, unknown>>;
  /** Keys that the edited one no longer has. */
  readonly removed: readonly string[];
}

/** Compares the object of a JSON text with another one; undefined for a text that is no JSON object. */
export function memberChanges(before: unknown, text: string): MemberChanges | undefined {
  const old = isRecord(before) ? before : {};
  const after = parsedObject(text);
  if (after === undefined) return undefined;
  const changed = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(old, key) || !isEqual(value, old[key]),
  );
  return {
    changed: Object.fromEntries(changed),
    removed: Object.keys(old).filter((key) => !Object.hasOwn(after, key)),
  };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
