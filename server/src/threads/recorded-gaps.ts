import { isObject } from '../model/json.ts';

/** What `history.redact` leaves in a record. */
const REDACTED = '[redacted]';

/**
 * Why a value of a record may not be sent to a model, with where in it: a part of it was redacted or cut. Undefined
 * when it is whole.
 */
export function gapIn(value: unknown, path: string): string | undefined {
  if (value === REDACTED) {
    return `${path} is what history.redact left of the recorded value: put in what the model is to get, or remove it.`;
  }
  if (isObject(value) && value['truncated'] === true && typeof value['bytes'] === 'number') {
    return `${path} is only the beginning of a value of ${value['bytes']} bytes, which was too large to be recorded whole: put in what the model is to get.`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const gap = gapIn(member, `${path}.${name}`);
    if (gap !== undefined) return gap;
  }
  return undefined;
}
