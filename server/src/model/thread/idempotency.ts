/** Decisions: "retried POSTs". The record of a creation under an `Idempotency-Key`, so that it happens once. */

/** How long a key is remembered. Afterwards it may be used again. */
export const IDEMPOTENCY_KEPT_MS = 24 * 60 * 60 * 1_000;

/** Keys that one thread remembers of its runs; beyond them the oldest are dropped early. */
export const IDEMPOTENCY_KEYS_PER_THREAD = 1_000;

/** The size of a remembered key in a continue-as-new payload. */
export const REMEMBERED_KEY_BYTES = 200;

/** A creation that is to happen once. Both are hashes: keys may be secrets, bodies are large. */
export interface Idempotency {
  /** Of endpoint, principal and key. */
  key: string;
  /** Of the body as it was sent. */
  body: string;
}

/** A key that a thread has seen, and the run that it created. */
export interface RememberedKey extends Idempotency {
  runUuid: string;
  /** Milliseconds. */
  at: number;
}

/** The run that this key created; undefined when the key is new, or was used too long ago. */
export function findKey(
  keys: readonly RememberedKey[] | undefined,
  { key }: Idempotency,
  now: number,
): RememberedKey | undefined {
  return keys?.findLast((known) => known.key === key && now - known.at <= IDEMPOTENCY_KEPT_MS);
}

/** The keys with one more; expired and excess keys are dropped. */
export function withKey(
  keys: readonly RememberedKey[] | undefined,
  remembered: RememberedKey,
): RememberedKey[] {
  const isFresh = ({ at }: RememberedKey): boolean => remembered.at - at <= IDEMPOTENCY_KEPT_MS;
  return [...(keys ?? []).filter(isFresh), remembered].slice(-IDEMPOTENCY_KEYS_PER_THREAD);
}
