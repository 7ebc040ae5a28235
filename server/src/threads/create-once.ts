/*
 * `Idempotency-Key` (`http/request/idempotency-key.ts`, `threads/create-once.ts`): two hashes, one of endpoint,
 * principal and key, one of the body. For runs of a thread, the thread stores both hashes and the run
 * (`model/thread/idempotency.ts`). For everything with its own thread, the thread's id is derived from the key, and the
 * engine starts a workflow id only once; the body's hash is in its memo. No lookup precedes the creation: without a
 * conflict a key costs nothing.
 */
import { createHash } from 'node:crypto';
import { stringify } from 'uuid';
import type { Engine } from '../engine/engine.ts';
import type { CreationMark } from '../engine/requests.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { IDEMPOTENCY_KEPT_MS, type Idempotency } from '../model/thread/idempotency.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';

/** The number of threads of a key that is reused every day for ten years. */
const MAX_GENERATIONS = 4_000;

/** The ids that belong to an idempotency key. `generation` counts how often the key has expired. */
interface KeyIds {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/**
 * Creates under an id derived from the key, so that the engine's own uniqueness is the lock, also for two concurrent
 * requests. If the id already exists, `attach` returns the existing object; `idempotency_conflict` when it was created
 * with another body.
 */
export async function createOnce<T>(
  engine: { readonly threads: Pick<Engine['threads'], 'readMark'> },
  idempotency: Idempotency,
  { create, attach }: Record<'create' | 'attach', (ids: KeyIds, mark: CreationMark) => Promise<T>>,
  now: () => number = Date.now,
): Promise<T> {
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const ids = idsOf(idempotency, generation);
    const mark = { ...idempotency, at: now() };
    try {
      return await create(ids, mark);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'thread_exists') throw error;
    }
    const known = await engine.threads.readMark(ids.threadId);
    if (!isRemembered(known, now())) continue;
    if (known.body !== idempotency.body) throw conflict();
    return attach(ids, known);
  }
  throw conflict();
}

/** Whether a creation's key has not expired. */
export function isRemembered(
  mark: CreationMark | undefined,
  now = Date.now(),
): mark is CreationMark {
  return mark !== undefined && now - mark.at <= IDEMPOTENCY_KEPT_MS;
}

function idsOf({ key }: Idempotency, generation: number): KeyIds {
  const uuid = (kind: string): string => uuidOf(`${kind} ${key} ${generation}`);
  return {
    threadId: uuid('thread') as ThreadId, // a uuid is a valid thread id
    runUuid: uuid('run') as RunUuid,
  };
}

/** A UUID of version 8, derived from the text. */
export function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest();
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  return stringify(hash);
}

function conflict(): ServiceError {
  const message = 'The Idempotency-Key was used with another body.';
  return new ServiceError('idempotency_conflict', message);
}
