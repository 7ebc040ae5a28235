import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import { matchesFilter } from './metadata-filter.ts';
import type { Permission, PolicyPort, PolicyQuestion, Ruling } from './port.ts';

/** Resolves when the policy permits; rejects with `permission_denied` otherwise, also when deciding fails. */
export async function requirePermission(
  policy: PolicyPort,
  question: PolicyQuestion,
): Promise<Permission> {
  const { operation, resource } = question;
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
  throw new ServiceError(
    'permission_denied',
    `The policy denies ${operation} on ${resource.mrn}.`,
    {
      details: { operation, resource: resource.mrn, ...why },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

async function rulingOf(policy: PolicyPort, question: PolicyQuestion): Promise<Ruling> {
  if (policy.rule) return policy.rule(question);
  return { isPermitted: await policy.isPermitted(question) };
}

/** Reads what a policy or a filter looks at. */
interface ThreadReader {
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
  const given = { thread_id: threadId, ...question.given };
  const owner = policy.looksAtOwners === true ? await ownerOf(engine, threadId) : undefined;
  const resource = { ...question.resource, ...(owner !== undefined && { owner }) };
  const permission = await requirePermission(policy, { ...question, resource, given });
  const { filter } = permission;
  if (!filter) return permission;
  const { metadata } = await engine.readThread(threadId);
  if (isMatch(metadata, filter)) return permission;
  // In the engine's own words: nobody learns by them that there is such a thread.
  throw new ServiceError('thread_not_found', `There is no thread ${threadId}.`);
}

/** A thread that is not there has no owner: who may not see it is told no more than that it is denied. */
async function ownerOf(engine: ThreadReader, threadId: ThreadId): Promise<string | undefined> {
  try {
    return await engine.ownerOf(threadId);
  } catch (error) {
    if (isServiceError(error) && error.code === 'thread_not_found') return undefined;
    throw error;
  }
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
