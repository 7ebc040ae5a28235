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

/** States are not indexed, so threads cannot be searched by their values. */
const noValues = optional(z.record(z.string(), z.unknown())).refine(
  (values) => values === undefined || Object.keys(values).length === 0,
  { error: 'Threads are found by their metadata, not by their values.' },
);
const find = {
  metadata: optional(z.record(z.string(), z.unknown())),
  status: optional(z.enum(['idle', 'busy', 'interrupted', 'error'])),
  values: noValues,
};
const search = compatRoute('post', '/threads/search', {
  asks: asksSearch,
  body: z.object({
    ...find,
    ids: optional(z.array(z.string())),
    limit: optional(z.int().min(1).max(1000)),
    offset: optional(z.int().min(0)),
    sort_by: optional(z.enum(['created_at', 'updated_at', 'state_updated_at'], onlyNewest())),
    sort_order: optional(z.literal('desc', onlyNewest())),
    select: optional(z.array(z.string())),
    extract: optional(z.record(z.string(), z.string())).refine((given) => given === undefined, {
      error: 'Nothing is extracted here: select values instead.',
    }),
  }),
  isRead: true,
});
const count = compatRoute('post', '/threads/count', {
  asks: asksSearch,
  body: z.object(find),
  isRead: true,
});

export const threadSearchContracts = [search, count];

/** Rows whose states are read at the same time. */
const AT_ONCE = 8;

/** Searches for threads with the engine's search, and adds the states of the threads found. */
export function compatThreadSearch(
  endpoints: Endpoints,
  services: { threads: ThreadService; known: AgentsPort },
): void {
  const { threads, known } = services;

  endpoints.on(search, async ({ principal, body }) => {
    const { limit = 10, offset, ids, select } = body;
    const page = await threads.search(principal, {
      ...filterOf(known, body),
      limit,
      ...(offset !== undefined && offset > 0 && { offset }),
      ...(ids && { ids: ids.map((id) => threadIdOf({ thread_id: id })) }),
    });
    const isStateWanted = select === undefined || select.some((name) => fromState.has(name));
    const states = isStateWanted ? await statesOf(principal, page.items) : [];
    const next = (offset ?? 0) + page.items.length;
    return {
      status: 200,
      body: page.items.map((one, at) => selected(presentCompatThread(one, states[at]), select)),
      headers: {
        ...(page.total !== undefined && { 'X-Pagination-Total': String(page.total) }),
        // A client would request a next offset that equals the current one forever.
        ...(page.next !== undefined &&
          page.items.length > 0 && { 'X-Pagination-Next': String(next) }),
      },
    };
  });

  endpoints.on(count, async ({ principal, body }) => {
    const filter = filterOf(known, body);
    const { total } = await threads.search(principal, { ...filter, limit: 1 });
    if (total !== undefined) return { status: 200, body: total };
    const message = 'There are too many threads to look at each of them; filter by status.';
    throw new ServiceError('invalid_request', message);
  });

  /** Undefined for a thread that cannot be read, or was deleted meanwhile. */
  async function statesOf(
    principal: Principal,
    rows: readonly ThreadView[],
  ): Promise<(StateSnapshot | undefined)[]> {
    const states: (StateSnapshot | undefined)[] = [];
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const read = rows.slice(at, at + AT_ONCE).map(({ threadId }) =>
        threads.read(principal, threadId).then(
          ({ state }) => state,
          () => undefined,
        ),
      );
      states.push(...(await Promise.all(read)));
    }
    return states;
  }
}

const fromState = new Set(['values', 'interrupts']);

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

function onlyNewest(): { error: string } {
  return { error: 'Threads come newest first: no other order can be had.' };
}
