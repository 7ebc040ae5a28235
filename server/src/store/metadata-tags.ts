import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';

/**
 * One tag for every member of a JSON object: equal for equal members, whatever the order of keys inside and however a
 * number is written. Searches by metadata are then look-ups in an index, the same in both databases.
 */
export function metadataTags(members: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(members).map(([name, value]) =>
    createHash('sha256')
      .update(canonicalJson([name, value]))
      .digest('base64url'),
  );
}
