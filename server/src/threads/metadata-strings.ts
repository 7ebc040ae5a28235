import { ServiceError } from '../errors/service-error.ts';
import { isObject } from '../model/json.ts';

/**
 * Spec: Thread, metadata. Strings are unchanged, everything else becomes its JSON text (decisions: "metadata values").
 */
export function metadataStrings(metadata: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** The keys of values that are no strings: their texts are JSON. */
export function jsonKeysOf(metadata: Record<string, unknown>): string[] {
  return Object.keys(metadata).filter((key) => typeof metadata[key] !== 'string');
}

/** The metadata that a permission rewrote; throws `auth_failed` when it is no longer an object. */
export function givenMetadata(
  given: Readonly<Record<string, unknown>> | undefined,
  asked: Record<string, unknown>,
): Record<string, unknown> {
  if (given === undefined) return asked;
  const { metadata = {} } = given;
  if (isObject(metadata)) return metadata;
  throw new ServiceError('auth_failed', "The agents' auth made metadata that is no object.");
}
