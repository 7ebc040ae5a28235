import { JSONPath } from 'jsonpath-plus';
import { isObject } from '../../model/json.ts';

/** What stands where something was removed. */
export const REDACTED = '[redacted]';

/** Replaces what is not to be recorded, within a value of its own: the value is changed. */
export type Redact = (value: unknown) => unknown;

/**
 * A function that replaces what these JSON paths find (RFC 9535, without filter expressions), each applied to every
 * value that is recorded.
 */
export function redactionOf(paths: readonly string[]): Redact {
  return (value) => {
    if (!isObject(value) && !Array.isArray(value)) return value;
    for (const path of paths) replaceAt(path, value);
    return value;
  };
}

function replaceAt(path: string, json: object): void {
  const found = JSONPath<FoundMember[]>({ path, json, eval: false, resultType: 'all' });
  for (const { parent, parentProperty } of found) {
    if (isObject(parent) || Array.isArray(parent)) {
      (parent as Record<string | number, unknown>)[parentProperty] = REDACTED; // a member that was just found
    }
  }
}

interface FoundMember {
  /** Null for the whole value. */
  parent: unknown;
  parentProperty: string | number;
}
