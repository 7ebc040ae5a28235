import { z } from 'zod';
import {
  asksCopy,
  asksNewThread,
  asksSearch,
  asksState,
  asksThread,
} from '../../contract/permissions.ts';
import type { ThreadId } from '../../model/ids.ts';
import { type JsonText, jsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import { optional } from '../compat/compat-route.ts';
import { changeState } from '../compat/state-routes.ts';
import { threadFilter, threadFinding } from '../compat/thread-search.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { messageList } from './protocol-message.ts';
import { presentProtocolState, presentProtocolThread } from './present-protocol.ts';
import { protocolRoute } from './protocol-route.ts';

const anyObject = z.record(z.string(), z.unknown());
const one = '/threads/{thread_id}';

const create = protocolRoute('post', '/threads', {
  asks: asksNewThread,
  body: z.object({
    thread_id: optional(z.guid({ error: 'must be a UUID' })),
    metadata: optional(anyObject),
    if_exists: optional(z.enum(['raise', 'do_nothing'])),
  }),
  isIdempotent: true,
});
const search = protocolRoute('post', '/threads/search', {
  asks: asksSearch,
  body: z.object({
    ...threadFilter,
    limit: optional(z.int().min(1).max(1000)),
    offset: optional(z.int().min(0)),
  }),
  isRead: true,
});
const get = protocolRoute('get', one, { asks: [asksThread('read')] });
const patch = protocolRoute('patch', one, {
  asks: [
    asksThread('update', 'with `metadata`'),
    asksState('update', 'with `values` or `messages`'),
    asksState('read', 'then, with a checkpoint'),
    asksThread('read', 'once it is changed'),
  ],
  body: z.object({
    checkpoint: optional(z.object({ checkpoint_id: z.string() })),
    metadata: optional(anyObject),
    values: optional(anyObject),
    messages: optional(messageList),
  }),
});
const remove = protocolRoute('delete', one, { asks: [asksThread('delete')] });
const copy = protocolRoute('post', `${one}/copy`, { asks: asksCopy });
const history = protocolRoute('get', `${one}/history`, {
  asks: [asksState('history')],
  query: z.object({
    limit: z.exactOptional(
      z
        .string()
        .regex(/^(?:[1-9]\d{0,2}|1000)$/, { error: 'must be an integer from 1 to 1000' })
        .transform(Number),
    ),
    before: z.exactOptional(z.string()),
  }),
});

export const protocolThreadContracts = [search, create, get, patch, remove, copy, history];

/** Threads, whose state and its history are parts of them here. */
export function protocolThreadRoutes(
  endpoints: Endpoints,
  services: { threads: ThreadService; states: StateService; known: AgentsPort },
  { checkpointHistory }: { checkpointHistory: number | undefined },
): void {
  const { threads, states } = services;
  const find = threadFinding(services);

  async function read(principal: Principal, threadId: ThreadId) {
    const { state, ...thread } = await threads.read(principal, threadId);
    return { status: 200, body: await presentProtocolThread(thread, state) };
  }

  endpoints.on(create, async ({ principal, body, idempotency }) => {
    const { thread_id: id, metadata = {}, if_exists: ifExists = 'raise' } = body;
    const { thread } = await threads.create(principal, {
      ...(id !== undefined && { threadId: threadIdOf({ thread_id: id }) }),
      ...{ metadata, ifExists, isTyped: true, checkpointHistory, idempotency },
    });
    return { status: 200, body: await presentProtocolThread(thread) };
  });

  endpoints.on(search, async ({ principal, body }) => {
    const { rows, headers } = await find(principal, body);
    const shown = rows.map(({ state, ...thread }) => presentProtocolThread(thread, state));
    return { status: 200, body: await Promise.all(shown), headers };
  });

  endpoints.on(get, ({ principal, params }) => read(principal, threadOf(params)));

  endpoints.on(patch, async ({ principal, params, body, members, signal }) => {
    const threadId = threadOf(params);
    const values = valuesOf(members);
    const { metadata = {}, checkpoint } = body;
    // Values first: where they are refused, nothing has changed.
    if (values !== undefined) {
      const at = checkpoint && { checkpointId: checkpoint.checkpoint_id };
      await changeState(states, { principal, threadId }, { values, ns: '', ...at }, signal);
    }
    if (Object.keys(metadata).length > 0) {
      await threads.patch(principal, threadId, metadata, { isTyped: true });
    }
    return read(principal, threadId);
  });

  endpoints.on(remove, async ({ principal, params }) => {
    await threads.delete(principal, threadOf(params));
    return { status: 204 };
  });

  endpoints.on(copy, async ({ principal, params }) => {
    const how = { isWhole: true, checkpointHistory };
    const thread = await threads.copy(principal, threadOf(params), how);
    return { status: 200, body: await presentProtocolThread(thread) };
  });

  endpoints.on(history, async ({ principal, params, query }) => {
    const { limit = 10, before } = query;
    const part = { limit, ns: '', ...(before !== undefined && { beforeId: before }) };
    const found: object[] = [];
    for await (const entry of await states.history(principal, threadOf(params), part)) {
      found.push(await presentProtocolState(entry));
    }
    return { status: 200, body: found };
  });
}

/** The values of a patch together with its messages, as they were sent; undefined without any. */
function valuesOf(members: ReadonlyMap<string, JsonText>): JsonText | undefined {
  const [values = jsonText('null'), messages = jsonText('null')] = [
    members.get('values'),
    members.get('messages'),
  ];
  const given = values === 'null' ? new Map<string, JsonText>() : scanObject(values).members;
  if (messages !== 'null') given.set('messages', messages);
  return given.size === 0 ? undefined : objectOf(given);
}

function threadOf({ thread_id: id = '' }: Record<string, string>): ThreadId {
  return threadIdOf({ thread_id: id });
}
