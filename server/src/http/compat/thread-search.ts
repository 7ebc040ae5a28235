import { z } from 'zod';
import { asksSearch } from '../../contract/permissions.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Principal } from '../../model/principal.ts';
import type { StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import { metadataStrings } from '../../threads/metadata-strings.ts';
import type { ThreadSearch, ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { agentNamed } from './assistants.ts';
import { compatRoute, optional, selected } from './compat-route.ts';
import { presentCompatThread } from './present-thread.ts';
import { type Sorting, sortedThreads, type ThreadOrder, threadOrders } from './sorted-threads.ts';

/** States are not indexed, so threads cannot be searched by their values. */
const noValues = optional(z.record(z.string(), z.unknown())).refine(
  (values) => values === undefined || Object.keys(values).length === 0,
  { error: 'Threads are found by their metadata, not by their values.' },
);
/** What threads are found by. */
export const threadFilter = {
  metadata: optional(z.record(z.string(), z.unknown())),
  status: optional(z.enum(['idle', 'busy', 'interrupted', 'error'])),
  values: noValues,
};
const search = compatRoute('post', '/threads/search', {
  asks: asksSearch,
  body: z.object({
    ...threadFilter,
    ids: optional(z.array(z.string())),
    limit: optional(z.int().min(1).max(1000)),
    offset: optional(z.int().min(0)),
    sort_by: optional(z.enum(threadOrders)),
    sort_order: optional(z.enum(['asc', 'desc', 'ASC', 'DESC'])),
    select: optional(z.array(z.string())),
    extract: optional(z.record(z.string(), z.string())).refine((given) => given === undefined, {
      error: 'Nothing is extracted here: select values instead.',
    }),
  }),
  isRead: true,
});
const count = compatRoute('post', '/threads/count', {
  asks: asksSearch,
  body: z.object(threadFilter),
  isRead: true,
});

export const threadSearchContracts = [search, count];

interface SearchServices {
  threads: ThreadService;
  known: AgentsPort;
}

/** Which threads are wanted, and which members of them. */
export type ThreadQuestion = Partial<z.infer<(typeof search)['body']>>;

/** Threads that are read at the same time. */
const AT_ONCE = 8;

/** Searches for threads with the engine's search, and adds the states of the threads found. */
export function compatThreadSearch(endpoints: Endpoints, services: SearchServices): void {
  const { threads, known } = services;
  const find = threadFinding(services);

  endpoints.on(search, async ({ principal, body }) => {
    const { rows, headers } = await find(principal, body);
    const { select } = body;
    return {
      status: 200,
      body: rows.map(({ state, ...one }) => selected(presentCompatThread(one, state), select)),
      headers,
    };
  });

  endpoints.on(count, async ({ principal, body }) => {
    const filter = filterOf(known, body);
    const { total } = await threads.search(principal, { ...filter, limit: 1 });
    if (total !== undefined) return { status: 200, body: total };
    const message = 'There are too many threads to look at each of them; filter by status.';
    throw new ServiceError('invalid_request', message);
  });
}

/** The function that finds a page of threads. */
export function threadFinding({ threads, known }: SearchServices) {
  return async (principal: Principal, body: ThreadQuestion) => {
    const { limit = 10, offset, ids, select } = body;
    const asked = {
      ...filterOf(known, body),
      limit,
      ...(offset !== undefined && offset > 0 && { offset }),
      ...(ids && { ids: ids.map((id) => threadIdOf({ thread_id: id })) }),
    };
    const sorting = sortingOf(body);
    const page: Page = sorting
      ? await sortedThreads(threads, principal, asked, sorting)
      : await threads.search(principal, asked);
    const isWhole = select === undefined || select.some((name) => ofThreadItself.has(name));
    const rows: Row[] = isWhole ? await wholeRows(principal, page.items) : page.items;
    const next = (offset ?? 0) + page.items.length;
    const headers: Record<string, string> = {
      ...(page.total !== undefined && { 'X-Pagination-Total': String(page.total) }),
      // A client would request a next offset that equals the current one forever.
      ...((page.next !== undefined || (sorting && next < (page.total ?? 0))) &&
        page.items.length > 0 && { 'X-Pagination-Next': String(next) }),
    };
    return { rows, headers };
  };

  /** The threads as they are by themselves; one that cannot be read, or was deleted meanwhile, as the search has it. */
  async function wholeRows(principal: Principal, found: readonly Row[]): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const read = found
        .slice(at, at + AT_ONCE)
        .map((row) => threads.read(principal, row.threadId).catch(() => row));
      rows.push(...(await Promise.all(read)));
    }
    return rows;
  }
}

/** Without a cursor where the rows were sorted here. */
interface Page {
  items: ThreadView[];
  total?: number;
  next?: string;
}

export type Row = ThreadView & { state?: StateSnapshot };

/** The engine's search does not have them. */
const ofThreadItself = new Set(['values', 'interrupts', 'error', 'updated_at', 'state_updated_at']);

/** Undefined: newest first, as the engine has it. */
function sortingOf({
  sort_by: by,
  sort_order: order,
}: {
  sort_by?: ThreadOrder | undefined;
  sort_order?: string | undefined;
}): Sorting | undefined {
  const isAscending = order?.toLowerCase() === 'asc';
  if (by === undefined && !isAscending) return undefined;
  return { by: by ?? 'created_at', isAscending };
}

type Filter = Omit<ThreadSearch, 'limit'>;

/** A graph named in the metadata filters by the agent of the newest run, whatever graph the thread's metadata names. */
function filterOf(
  known: AgentsPort,
  body: {
    metadata?: Record<string, unknown> | undefined;
    status?: ThreadView['status'] | undefined;
  },
): Filter {
  const { graph_id: graph, assistant_id: assistant, ...metadata } = body.metadata ?? {};
  const name = graph ?? assistant;
  const agentId = typeof name === 'string' ? agentNamed(known, name) : undefined;
  const others = agentId === undefined ? (body.metadata ?? {}) : metadata;
  return {
    ...(body.status !== undefined && { status: body.status }),
    ...(agentId !== undefined && { agentId }),
    ...(Object.keys(others).length > 0 && { metadata: metadataStrings(others) }),
  };
}
