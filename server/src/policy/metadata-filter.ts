import { isDeepStrictEqual } from 'node:util';

import { isObject } from '../model/json.ts';

/**
 * A metadata filter of a handler of LangGraph's `Auth`: members by their values, or `{$eq}` and `{$contains}`; `$and`
 * and `$or` of such filters.
 */
export type MetadataFilter = Readonly<Record<string, unknown>>;

type Metadata = Readonly<Record<string, unknown>>;

/** Maximum nesting of filters. */
const MAX_DEPTH = 2;

/** Whether metadata matches. Throws for an invalid filter, so that it matches nothing. */
export function matchesFilter(metadata: Metadata, filter: MetadataFilter, depth = 0): boolean {
  if (depth > MAX_DEPTH) throw new Error(`$and and $or go ${MAX_DEPTH} levels deep at most`);
  // Every member is checked, so that an invalid one is found whatever precedes it.
  const matches = Object.entries(filter).map(([key, wanted]) => {
    if (key === '$and' || key === '$or') {
      const parts = filtersOf(key, wanted).map((part) => matchesFilter(metadata, part, depth + 1));
      return key === '$and' ? parts.every(Boolean) : parts.some(Boolean);
    }
    if (key.startsWith('$')) throw new Error(`${key} is neither $and nor $or`);
    return memberMatches(Object.hasOwn(metadata, key) ? metadata[key] : undefined, wanted);
  });
  return matches.every(Boolean);
}

/** The pairs that metadata must have to match, for an index search; the filter may require more. */
export function pairsOf(filter: MetadataFilter): Record<string, unknown> {
  const pairs: Record<string, unknown> = {};
  for (const [key, wanted] of Object.entries(filter)) {
    if (key.startsWith('$')) continue;
    if (!isObject(wanted)) pairs[key] = wanted;
    else if (Object.hasOwn(wanted, '$eq')) pairs[key] = wanted['$eq'];
  }
  return pairs;
}

function filtersOf(key: string, wanted: unknown): MetadataFilter[] {
  if (Array.isArray(wanted) && wanted.length > 0 && wanted.every(isObject)) return wanted;
  throw new Error(`${key} is not a list of filters`);
}

function memberMatches(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return isSame(value, wanted);
  const operators = Object.entries(wanted);
  if (operators.length === 0) throw new Error('a filter on a member is empty');
  return operators
    .map(([name, operand]) => {
      if (name === '$eq') return isSame(value, operand);
      if (name === '$contains') return contains(value, operand);
      throw new Error(`${name} is neither $eq nor $contains`);
    })
    .every(Boolean);
}

/** Metadata values of threads are strings: other values are stored as their JSON. */
function isSame(value: unknown, wanted: unknown): boolean {
  if (value === undefined || wanted === undefined) return false;
  if (isDeepStrictEqual(value, wanted)) return true;
  return (
    typeof value === 'string' && typeof wanted !== 'string' && value === JSON.stringify(wanted)
  );
}

/** The one value, or every value of a list, is in the list. */
function contains(value: unknown, wanted: unknown): boolean {
  const list = typeof value === 'string' ? parsedList(value) : value;
  if (!Array.isArray(list)) return false;
  return [wanted].flat().every((one) => list.some((member) => isDeepStrictEqual(member, one)));
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
