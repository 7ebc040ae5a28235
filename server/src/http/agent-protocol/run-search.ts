import type { z } from 'zod';
import type { RunCursor } from '../../history/port.ts';
import { parseThreadId } from '../../model/ids.ts';
import { SEARCH_PAGE_ROWS, SEARCH_ROWS } from '../../model/limits/search-limits.ts';
import type { Principal } from '../../model/principal.ts';
import { hasMembers } from '../../threads/has-members.ts';
import type { HistoryService } from '../../threads/history-service.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import { askedName } from '../compat/assistants.ts';
import { presentRecorded } from './present-protocol.ts';
import { type search, statusesOf } from './run-contracts.ts';

type RunQuestion = z.infer<(typeof search)['body']>;

/**
 * A page of the runs that match, the newest activity first. The history has no index of metadata: of its newest 10,000
 * runs that match otherwise, each is looked at.
 */
export async function foundRuns(
  { history, known }: { history: HistoryService; known: AgentsPort },
  principal: Principal,
  body: RunQuestion,
): Promise<object[]> {
  const {
    metadata = {},
    limit = 10,
    offset = 0,
    status,
    thread_id: thread,
    agent_id: agent,
  } = body;
  const threadId = thread === undefined ? undefined : parseThreadId(thread);
  const isNone = (thread !== undefined && threadId === undefined) || status === 'timeout';
  const filter = {
    ...(status !== undefined && { statuses: statusesOf[status] }),
    ...(threadId !== undefined && { threadId }),
    ...(agent !== undefined && { agentIds: [askedName(known, agent)] }),
  };
  const found: object[] = [];
  let cursor: RunCursor | undefined;
  let examined = 0;
  do {
    const page = await history.search(principal, {
      ...filter,
      limit: SEARCH_PAGE_ROWS,
      ...(cursor && { cursor }),
    });
    if (isNone) return []; // permitted all the same
    const matching = page.runs.filter((run) => hasMembers(run.metadata, metadata));
    found.push(...matching.map(presentRecorded));
    cursor = page.next;
    examined += SEARCH_PAGE_ROWS;
  } while (cursor && found.length < offset + limit && examined < SEARCH_ROWS);
  return found.slice(offset, offset + limit);
}
