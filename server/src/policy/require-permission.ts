import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { matchesFilter } from './metadata-filter.ts';
import type { Permission, PolicyPort, PolicyQuestion, Ruling } from './port.ts';

/** Resolves when the policy permits; rejects with `permission_denied` otherwise, also when deciding fails. */
export async function requirePermission(
  policy: PolicyPort,
  question: PolicyQuestion,
): Promise<Permission> {
  let cause: unknown;
  let why: Ruling['why'];
  try {
    if (policy.permit) return await policy.permit(question);
    const ruling = await rulingOf(policy, question);
    if (ruling.isPermitted) return {};
    why = ruling.why;
  } catch (error) {
    if (policy.permit && isServiceError(error)) throw error;
    cause = error;
  }
  throw denial(question, { why, cause });
}

/** Whether something is permitted that belongs to an operation which was, such as a row of a list. An error is a no. */
export async function isAlsoPermitted(
  policy: PolicyPort,
  question: PolicyQuestion,
): Promise<boolean> {
  try {
    return await policy.isPermitted(question);
  } catch {
    return false;
  }
}

/**
 * Asks about something that comes with an operation which was permitted, such as the output with a run that is waited
 * for; rejects with `permission_denied`. Handlers of the manifest's `auth` decide about the operation as a whole.
 */
export async function requireAlso(policy: PolicyPort, question: PolicyQuestion): Promise<void> {
  const { isPermitted, why } = await rulingOf(policy, question).catch((cause: unknown): never => {
    throw denial(question, { cause });
  });
  if (!isPermitted) throw denial(question, { why });
}

function denial(
  { operation, resource }: PolicyQuestion,
  { why, cause }: { why?: Ruling['why']; cause?: unknown },
): ServiceError {
  const message = `The policy denies ${operation} on ${resource.mrn}.`;
  return new ServiceError('permission_denied', message, {
    details: { operation, resource: resource.mrn, ...why },
    ...(cause === undefined ? {} : { cause }),
  });
}

async function rulingOf(policy: PolicyPort, question: PolicyQuestion): Promise<Ruling> {
  if (policy.rule) return policy.rule(question);
  return { isPermitted: await policy.isPermitted(question) };
}

/** Reads what a policy or a filter looks at. */
export interface ThreadReader {
  ownerOf(threadId: ThreadId): Promise<string | undefined>;
  readThread(threadId: ThreadId): Promise<{ metadata: Record<string, string> }>;
}

/**
 * The same about something that belongs to a thread, which is among what is given: where the permission is for some
 * threads only and this is none of them, rejects with `thread_not_found`, as if it were not there. The thread is read
 * only then.
 */
export async function requirePermissionInThread(
  { policy, engine }: { policy: PolicyPort; engine: ThreadReader },
  threadId: ThreadId,
  question: PolicyQuestion,
): Promise<Permission> {
  const permission = await requirePermission(
    policy,
    await ownedQuestion({ policy, engine }, threadId, question),
  );
  const { filter } = permission;
  if (!filter) return permission;
  const { metadata } = await engine.readThread(threadId);
  if (isMatch(metadata, filter)) return permission;
  // In the engine's own words: nobody learns by them that there is such a thread.
  throw new ServiceError('thread_not_found', `There is no thread ${threadId}.`);
}

/** Whether there is no such thread, for policies that look at owners; others are not told. */
export async function isThreadMissing(
  { policy, engine }: { policy: PolicyPort; engine: Pick<ThreadReader, 'ownerOf'> },
  threadId: ThreadId,
): Promise<boolean> {
  if (policy.looksAtOwners !== true) return false;
  return engine.ownerOf(threadId).then(() => false, isMissing);
}

/** A question about something that belongs to a thread: its owner is the thread's, for policies that look at owners. */
export async function ownedQuestion(
  { policy, engine }: { policy: PolicyPort; engine: Pick<ThreadReader, 'ownerOf'> },
  threadId: ThreadId,
  question: PolicyQuestion,
): Promise<PolicyQuestion> {
  const given = { thread_id: threadId, ...question.given };
  const owner = policy.looksAtOwners === true ? await ownerOf(engine, threadId) : undefined;
  const resource = { ...question.resource, ...(owner !== undefined && { owner }) };
  return { ...question, resource, given };
}

/** A thread that is not there has no owner: who may not see it is told no more than that it is denied. */
async function ownerOf(
  engine: Pick<ThreadReader, 'ownerOf'>,
  threadId: ThreadId,
): Promise<string | undefined> {
  try {
    return await engine.ownerOf(threadId);
  } catch (error) {
    isMissing(error);
    return undefined;
  }
}

/** True of a thread that is not there; whatever else went wrong is thrown. */
function isMissing(error: unknown): true {
  if (isServiceError(error) && error.code === 'thread_not_found') return true;
  throw error;
}

/** Whether a filter lets something be seen; a filter that cannot be understood is `auth_failed`. */
export function isMatch(
  metadata: Readonly<Record<string, unknown>>,
  filter: Permission['filter'],
): boolean {
  if (!filter) return true;
  try {
    return matchesFilter(metadata, filter);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is none';
    const message = `The filter that the agents' auth returned cannot be used: ${why}.`;
    throw new ServiceError('auth_failed', message, { cause });
  }
}
