import { z } from 'zod';
import { asksCopy, asksNewThread, asksState, asksThread } from '../../contract/permissions.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { jsonText, toJsonText } from '../../model/json.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { compatRoute, optional } from './compat-route.ts';
import { AGENT_KEY } from './state-routes.ts';
import { presentCompatThread } from './present-thread.ts';

const anyObject = z.record(z.string(), z.unknown());
const noTtl = z
  .null({ error: 'A thread stays until it is deleted: ttl cannot be kept.' })
  .optional();

const superstep = z.object({
  updates: z
    .array(
      z.object({
        values: z.unknown(),
        as_node: optional(z.string()),
        command: z.null({ error: 'A step has values here, no command.' }).optional(),
      }),
    )
    .min(1),
});

const create = compatRoute('post', '/threads', {
  asks: [...asksNewThread, asksState('update', 'with `supersteps`')],
  body: z.object({
    thread_id: optional(z.string()),
    metadata: optional(anyObject),
    if_exists: optional(z.enum(['raise', 'do_nothing'])),
    ttl: noTtl,
    supersteps: optional(z.array(superstep)),
  }),
  isIdempotent: true,
});
const get = compatRoute('get', '/threads/{thread_id}', { asks: [asksThread('read')] });
const patch = compatRoute('patch', '/threads/{thread_id}', {
  asks: [
    asksThread('update', 'where there is something to change'),
    asksThread('read', 'where the thread is answered, or nothing changes'),
  ],
  body: z.object({ metadata: optional(anyObject), ttl: noTtl }),
});
const remove = compatRoute('delete', '/threads/{thread_id}', { asks: [asksThread('delete')] });
const copy = compatRoute('post', '/threads/{thread_id}/copy', { asks: asksCopy });
const prune = compatRoute('post', '/threads/prune', {
  asks: [asksThread('delete', 'of each thread')],
  body: z.object({
    thread_ids: z.array(z.string()),
    strategy: z
      .literal('delete', { error: 'How much is retained is a setting: only delete is possible.' })
      .optional(),
  }),
});

export const threadContracts = [prune, create, get, patch, remove, copy];

/** The routes of threads, except for their states and runs. */
export function compatThreadRoutes(
  endpoints: Endpoints,
  services: { threads: ThreadService; states: StateService },
  { checkpointHistory }: { checkpointHistory: number | undefined },
): void {
  const { threads, states } = services;

  endpoints.on(create, async ({ principal, body, idempotency, signal }) => {
    const { thread, isNew } = await threads.create(principal, {
      ...(body.thread_id !== undefined && { threadId: threadOf(body) }),
      metadata: body.metadata ?? {},
      ifExists: body.if_exists ?? 'raise',
      isTyped: true,
      checkpointHistory,
      idempotency,
    });
    const { supersteps = [] } = body;
    if (isNew && supersteps.length > 0) {
      const steps = toJsonText(supersteps.map(({ updates }) => updates));
      const change = { values: jsonText('null'), ns: '', agentKey: AGENT_KEY, supersteps: steps };
      await states.updatePlain(principal, thread.threadId, change, signal);
    }
    return { status: 200, body: presentCompatThread(thread) };
  });

  endpoints.on(get, async ({ principal, params }) => {
    const { state, ...thread } = await threads.read(principal, threadOf(params));
    return { status: 200, body: presentCompatThread(thread, state) };
  });

  endpoints.on(patch, async ({ principal, params, body, headers }) => {
    const threadId = threadOf(params);
    const { metadata = {} } = body;
    const isChanged = Object.keys(metadata).length > 0;
    const isMinimal = headers['prefer']?.includes('return=minimal') === true;
    if (isChanged) await threads.patch(principal, threadId, metadata, { isTyped: true });
    // Without a change the thread is still read, so that no caller gets 204 for another user's thread.
    if (isChanged && isMinimal) return { status: 204 };
    const { state, ...thread } = await threads.read(principal, threadId);
    if (isMinimal) return { status: 204 };
    return { status: 200, body: presentCompatThread(thread, state) };
  });

  endpoints.on(remove, async ({ principal, params }) => {
    await threads.delete(principal, threadOf(params));
    return { status: 204 };
  });

  endpoints.on(copy, async ({ principal, params }) => {
    const thread = await threads.copy(principal, threadOf(params), {
      isWhole: true,
      checkpointHistory,
    });
    return { status: 200, body: presentCompatThread(thread) };
  });

  endpoints.on(prune, async ({ principal, body }) => {
    let count = 0;
    for (const id of body.thread_ids) {
      try {
        await threads.delete(principal, threadIdOf({ thread_id: id }));
        count += 1;
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'thread_not_found') throw error;
      }
    }
    return { status: 200, body: { pruned_count: count } };
  });
}

function threadOf(params: { thread_id?: string | undefined }): ThreadId {
  return threadIdOf({ thread_id: params['thread_id'] ?? '' });
}
