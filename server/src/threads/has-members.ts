import { isDeepStrictEqual } from 'node:util';

/** Whether metadata have each of these members with an equal value. */
export function hasMembers(
  metadata: Readonly<Record<string, unknown>> = {},
  wanted: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}
