import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { matchesFilter } from './metadata-filter.ts';
import type { Permission, PolicyPort, PolicyQuestion, Ruling } from './port.ts';

/** Resolves when the policy permits; rejects with `permission_denied` otherwise, also when the decision fails. */
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

/** Whether a part of a permitted operation is permitted, such as a row of a list. An error counts as a denial. */
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
 * Checks something that accompanies a permitted operation, such as the output of a run that is waited for; rejects with
 * `permission_denied`. Handlers of the manifest's `auth` decide about the operation as a whole.
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

/** Reads thread data that policies and filters need. */
export interface ThreadReader {
  readonly threads: {
    ownerOf(threadId: ThreadId): Promise<string | undefined>;
    read(threadId: ThreadId): Promise<{ metadata: Record<string, string> }>;
  };
}

type OwnerReader = { readonly threads: Pick<ThreadReader['threads'], 'ownerOf'> };

/**
 * The same for something that belongs to a thread, whose id is added to `given`: where the permission's filter does not
 * match this thread, rejects with `thread_not_found`, as if it did not exist. The thread is read only then.
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
  const { metadata } = await engine.threads.read(threadId);
  if (isMatch(metadata, filter)) return permission;
  // The same message as the engine's, so that it does not reveal that the thread exists.
  throw new ServiceError('thread_not_found', `There is no thread ${threadId}.`);
}

/** Whether the thread does not exist, for policies that look at owners; for others always false. */
export async function isThreadMissing(
  { policy, engine }: { policy: PolicyPort; engine: OwnerReader },
  threadId: ThreadId,
): Promise<boolean> {
  if (policy.looksAtOwners !== true) return false;
  return engine.threads.ownerOf(threadId).then(() => false, isMissing);
}

/** A question about something that belongs to a thread, with the thread's owner for policies that look at owners. */
export async function ownedQuestion(
  { policy, engine }: { policy: PolicyPort; engine: OwnerReader },
  threadId: ThreadId,
  question: PolicyQuestion,
): Promise<PolicyQuestion> {
  const given = { thread_id: threadId, ...question.given };
  const owner = policy.looksAtOwners === true ? await ownerOf(engine, threadId) : undefined;
  const resource = { ...question.resource, ...(owner !== undefined && { owner }) };
  return { ...question, resource, given };
}

/** A missing thread has no owner: a caller who may not see it only gets a denial. */
async function ownerOf(engine: OwnerReader, threadId: ThreadId): Promise<string | undefined> {
  try {
    return await engine.threads.ownerOf(threadId);
  } catch (error) {
    isMissing(error);
    return undefined;
  }
}

/** True for a missing thread; other errors are rethrown. */
function isMissing(error: unknown): true {
  if (isServiceError(error) && error.code === 'thread_not_found') return true;
  throw error;
}

/** Whether metadata passes a filter; an invalid filter throws `auth_failed`. */
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
