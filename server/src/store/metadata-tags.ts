import { createHash } from 'node:crypto';

/**
 * One tag for every member of a JSON object: equal for equal members, whatever the order of keys inside and however a
 * number is written. Searches by metadata are then look-ups in an index, the same in both databases.
 */
export function metadataTags(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) =>
    createHash('sha256')
      .update(canonical([name, value]))
      .digest('base64url'),
  );
}

/** JSON with sorted keys. What comes here was parsed from JSON. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
