import { z } from 'zod';
import { asksCopy, asksNewThread, asksThread } from '../../contract/permissions.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { compatRoute, optional } from './compat-route.ts';
import { presentCompatThread } from './present-thread.ts';

const anyObject = z.record(z.string(), z.unknown());
const noTtl = z
  .null({ error: 'A thread stays until it is deleted: ttl cannot be kept.' })
  .optional();

const create = compatRoute('post', '/threads', {
  asks: asksNewThread,
  body: z.object({
    thread_id: optional(z.string()),
    metadata: optional(anyObject),
    if_exists: optional(z.enum(['raise', 'do_nothing'])),
    ttl: noTtl,
    supersteps: optional(z.array(z.unknown())).refine((steps = []) => steps.length === 0, {
      error: 'supersteps cannot be taken: POST the state of the thread instead.',
    }),
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
  services: { threads: ThreadService },
): void {
  const { threads } = services;

  endpoints.on(create, async ({ principal, body, idempotency }) => {
    const { thread } = await threads.create(principal, {
      ...(body.thread_id !== undefined && { threadId: threadOf(body) }),
      metadata: body.metadata ?? {},
      ifExists: body.if_exists ?? 'raise',
      idempotency,
    });
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
    if (isChanged) await threads.patch(principal, threadId, metadata);
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
    const thread = await threads.copy(principal, threadOf(params), {});
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
