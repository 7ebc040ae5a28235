import * as contract from '../../contract/thread-routes.ts';
import type { StateService } from '../../threads/state-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../path-ids.ts';
import {
  presentHeadState,
  presentHistoryEntry,
  presentPatchedThread,
  presentThread,
  presentThreadWithValues,
} from '../present.ts';

const DEFAULT_LIMIT = 100;

/** Threads, their state and history (spec: Endpoints, Threads and State). */
export function threadRoutes(
  endpoints: Endpoints,
  services: { threads: ThreadService; states: StateService },
): void {
  const { threads, states } = services;

  endpoints.on(contract.createThread, async ({ principal, body }) => {
    const { thread, isNew } = await threads.create(principal, {
      ...(body.thread_id === undefined
        ? {}
        : { threadId: threadIdOf({ thread_id: body.thread_id }) }),
      metadata: body.metadata ?? {},
      ifExists: body.if_exists ?? 'raise',
    });
    return { status: isNew ? 201 : 200, body: presentThread(thread) };
  });

  endpoints.on(contract.getThread, async ({ principal, params }) => {
    const thread = await threads.read(principal, threadIdOf(params));
    return { status: 200, body: presentThreadWithValues(thread) };
  });

  endpoints.on(contract.patchThread, async ({ principal, params, body }) => {
    const thread = await threads.patch(principal, threadIdOf(params), body.metadata);
    return { status: 200, body: presentPatchedThread(thread) };
  });

  endpoints.on(contract.deleteThread, async ({ principal, params }) => {
    await threads.delete(principal, threadIdOf(params));
    return { status: 204 };
  });

  endpoints.on(contract.getState, async ({ principal, params }) => {
    const state = await states.read(principal, threadIdOf(params));
    return { status: 200, body: presentHeadState(state) };
  });

  endpoints.on(contract.getHistory, async ({ principal, params, query }) => {
    const threadId = threadIdOf(params);
    const limit = query.limit ?? DEFAULT_LIMIT;
    const entries = await states.history(principal, threadId, { limit });
    return { status: 200, body: entries.map((entry) => presentHistoryEntry(threadId, entry)) };
  });
}
