import { ServiceError } from '../../errors/service-error.ts';
import {
  parseRunId,
  parseRunUuid,
  parseThreadId,
  type RunUuid,
  type ThreadId,
} from '../../model/ids.ts';
import type { RunKey } from '../../threads/run-request.ts';

/** The thread id of a path; responds with 400 when it is not a valid id (decisions: "ids"). */
export function threadIdOf(params: { thread_id: string }): ThreadId {
  const threadId = parseThreadId(params.thread_id);
  if (threadId) return threadId;
  const message = 'is not a valid thread id';
  throw new ServiceError('invalid_request', `thread_id ${message}.`, {
    details: { issues: [{ path: 'thread_id', message }] },
  });
}

/** The run of a thread-scoped path, given as the composite id or the bare uuid. Anything else gives 404. */
export function threadRunKeyOf(params: { thread_id: string; run_id: string }): RunKey {
  const threadId = threadIdOf(params);
  const runUuid = parseRunUuid(params.run_id);
  if (runUuid) return { threadId, runUuid };
  const key = parseRunId(params.run_id);
  if (key?.threadId === threadId) return key;
  throw runNotFound();
}

/** The uuid of a run's path that names nothing else. Anything else gives 404. */
export function bareRunUuidOf(params: { run_id: string }): RunUuid {
  const runUuid = parseRunUuid(params.run_id.toLowerCase());
  if (runUuid) return runUuid;
  throw runNotFound();
}

/** The run of a by-id path, given as the composite id only. Anything else gives 404. */
export function runKeyOf(params: { run_id: string }): RunKey {
  const key = parseRunId(params.run_id);
  if (key) return key;
  throw runNotFound();
}

function runNotFound(): ServiceError {
  return new ServiceError('run_not_found', 'There is no such run.');
}

/** Routes by run id know only the run: when its thread does not exist, the run does not either. */
export async function asRunNotFound<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'thread_not_found') throw runNotFound();
    throw error;
  }
}
