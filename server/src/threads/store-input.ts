import { ServiceError } from '../errors/service-error.ts';
import type { JsonText } from '../model/json.ts';
import {
  byteLength,
  itemNamespaceProblem,
  keyProblem,
  MAX_METADATA_BYTES,
  MAX_METADATA_KEYS,
  MAX_VALUE_BYTES,
  type Namespace,
  namespaceProblem,
  type ItemKey,
} from '../model/store/item-key.ts';
import { MAX_TTL_MINUTES } from '../model/store/store-settings.ts';

/** Throws `invalid_request` for labels that cannot be stored. */
export function requireNamespace(path: string, labels: Namespace): void {
  refuse(path, namespaceProblem(labels));
}

/** Throws `invalid_request` for a namespace or key that no item can have. */
export function requireItemKey(itemKey: ItemKey): void {
  refuse('namespace', itemNamespaceProblem(itemKey.namespace));
  refuse('key', keyProblem(itemKey.key));
}

/** Throws for an item that cannot be stored: `invalid_request`, or `payload_too_large` with the sizes. */
export function requireItem(
  itemKey: ItemKey,
  stored: { value: JsonText; metadata?: JsonText },
): void {
  requireItemKey(itemKey);
  requireSize('value', stored.value, MAX_VALUE_BYTES);
  if (stored.metadata === undefined) return;
  requireSize('metadata', stored.metadata, MAX_METADATA_BYTES);
  const keys = Object.keys(JSON.parse(stored.metadata) as object); // an object, by its contract
  refuse(
    'metadata',
    keys.length > MAX_METADATA_KEYS
      ? `must not have more than ${MAX_METADATA_KEYS} keys`
      : undefined,
  );
}

/**
 * Throws `invalid_request` for a filter with more members than metadata can have: each one adds a part to the SQL
 * statement.
 */
export function requireFilter(filter: Readonly<Record<string, unknown>> | undefined): void {
  const isTooLong = Object.keys(filter ?? {}).length > MAX_METADATA_KEYS;
  refuse('filter', isTooLong ? `must not have more than ${MAX_METADATA_KEYS} keys` : undefined);
}

/** Throws `invalid_request` for an invalid number of minutes. */
export function requireTtl(minutes: number | null | undefined): void {
  if (minutes === undefined || minutes === null) return;
  const isTime = minutes > 0 && minutes <= MAX_TTL_MINUTES;
  refuse('ttl', isTime ? undefined : `must be more than 0 and at most ${MAX_TTL_MINUTES} minutes`);
}

function refuse(path: string, problem: string | undefined): void {
  if (problem === undefined) return;
  throw new ServiceError('invalid_request', `${path}: ${problem}.`, {
    details: { issues: [{ path, message: problem }] },
  });
}

function requireSize(name: string, text: JsonText, limit: number): void {
  // UTF-8 uses at most three bytes for each UTF-16 unit.
  if (text.length * 3 <= limit) return;
  const bytes = byteLength(text);
  if (bytes <= limit) return;
  throw new ServiceError(
    'payload_too_large',
    `The ${name} of a store item may have ${limit} bytes, and this one has ${bytes}.`,
    { details: { size: bytes, limit } },
  );
}
