import { setTimeout as delay } from 'node:timers/promises';
import type { Assistant } from '../../assistants/port.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { SEARCH_PAGE_ROWS } from '../../model/limits/search-limits.ts';
import type { Principal } from '../../model/principal.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { ThreadSearch, ThreadService } from '../../threads/thread-service.ts';

/** A search finds what was made within this time. */
const SEARCH_LAG_MS = 1_000;

/** The metadata key that names the assistant of a thread or run. */
const KEY = 'assistant_id';

interface Services {
  threads: ThreadService;
  runs: RunService;
}

/**
 * Deletes the threads of an assistant: those whose metadata name it, and those of its agent whose newest run it made.
 * As far as the caller may read and delete them; others stay.
 */
export async function deleteAssistantThreads(
  services: Services,
  principal: Principal,
  { assistantId, agentId }: Pick<Assistant, 'assistantId' | 'agentId'>,
): Promise<void> {
  const { threads, runs } = services;

  async function deleteFound(): Promise<void> {
    const named = await idsOf({ metadata: { [KEY]: assistantId } });
    const made: ThreadId[] = [];
    for (const id of await idsOf({ agentId })) {
      if (!named.includes(id) && (await isNewestRunOfIt(id))) made.push(id);
    }
    for (const id of [...named, ...made]) await threads.delete(principal, id).catch(ifGoneOrDenied);
  }

  /** Read before anything is deleted: pages of a search shift. */
  async function idsOf(filter: Pick<ThreadSearch, 'metadata' | 'agentId'>): Promise<ThreadId[]> {
    const ids: ThreadId[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? {} : { cursor };
      const page = await threads.search(principal, { ...filter, ...next, limit: SEARCH_PAGE_ROWS });
      ids.push(...page.items.map(({ threadId }) => threadId));
      cursor = page.next;
    } while (cursor !== undefined);
    return ids;
  }

  async function isNewestRunOfIt(threadId: ThreadId): Promise<boolean> {
    try {
      const { items } = await runs.list(principal, threadId, { limit: 1, offset: 0 });
      for await (const run of items) return run.metadata[KEY] === assistantId;
    } catch (error) {
      ifGoneOrDenied(error);
    }
    return false;
  }

  await deleteFound();
  await delay(SEARCH_LAG_MS);
  await deleteFound();
}

function ifGoneOrDenied(error: unknown): void {
  const isExpected =
    isServiceError(error) && ['thread_not_found', 'permission_denied'].includes(error.code);
  if (!isExpected) throw error;
}
