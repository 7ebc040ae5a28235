/*
 * Our own API: one file for each resource. A route parses its input by the contract, calls one service and presents
 * the result; it decides nothing.
 */
import * as contract from '../../contract/thread-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type { ThreadSearchWire } from '../../contract/thread.ts';
import { metadataStrings } from '../../threads/metadata-strings.ts';
import type { ThreadSearch, ThreadService } from '../../threads/thread-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { threadIdOf } from '../request/path-ids.ts';
import {
  presentPatchedThread,
  presentThread,
  presentThreadWithValues,
} from '../response/present.ts';

/** Threads (spec: Endpoints, Threads). */
export function threadRoutes(endpoints: Endpoints, services: { threads: ThreadService }): void {
  const { threads } = services;

  endpoints.on(contract.createThread, async ({ principal, body, idempotency }) => {
    const { thread, isNew } = await threads.create(principal, {
      ...(body.thread_id === undefined
        ? {}
        : { threadId: threadIdOf({ thread_id: body.thread_id }) }),
      metadata: body.metadata ?? {},
      ifExists: body.if_exists ?? 'raise',
      idempotency,
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

  endpoints.on(contract.copyThread, async ({ principal, params, body, idempotency }) => {
    const copy = await threads.copy(principal, threadIdOf(params), {
      ...(body.thread_id !== undefined && { threadId: threadIdOf({ thread_id: body.thread_id }) }),
      ...(body.checkpoint && { checkpointId: body.checkpoint.checkpoint_id }),
      idempotency,
    });
    return { status: 201, body: presentThread(copy) };
  });

  endpoints.on(contract.searchThreads, async ({ principal, body }) => {
    const page = await threads.search(principal, threadSearchOf(body));
    return {
      status: 200,
      body: page.items.map(presentThread),
      headers: {
        ...(page.total !== undefined && { 'X-Pagination-Total': String(page.total) }),
        ...(page.next !== undefined && { 'X-Pagination-Next': page.next }),
      },
    };
  });
}

/** The thread search that a body requests. */
function threadSearchOf(body: ThreadSearchWire): ThreadSearch {
  const { status, ids, id_prefix: idPrefix, run_status: runStatus, offset, cursor } = body;
  const agentId = body.agent_id ?? body.assistant_id;
  return {
    limit: body.limit ?? DEFAULT_LIMIT,
    ...(offset !== undefined && { offset }),
    ...(cursor !== undefined && { cursor }),
    ...(status !== undefined && { status }),
    ...(body.metadata && { metadata: metadataStrings(body.metadata) }),
    ...(ids && { ids: ids.map((id) => threadIdOf({ thread_id: id })) }),
    ...(idPrefix !== undefined && { idPrefix }),
    ...(agentId !== undefined && { agentId }),
    ...(runStatus !== undefined && { runStatus }),
    ...(body.text !== undefined && { text: body.text }),
    ...(body.order_by === 'last_activity_at' && { isByActivity: true }),
  };
}
