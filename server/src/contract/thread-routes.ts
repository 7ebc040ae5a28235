import { z } from 'zod';
import { asksCopyOnce, asksNewThread, asksSearch, asksState, asksThread } from './permissions.ts';
import { defineRoute, stateReadErrors, storageWriteErrors } from './route.ts';
import { limitQuery } from './scalars.ts';
import {
  checkpointState,
  checkpointTargetBody,
  historyBody,
  historyEntry,
  state,
  stateUpdateBody,
  subgraphs,
  updatedState,
} from './state.ts';
import {
  thread,
  threadCopyBody,
  threadCreateBody,
  threadParams,
  threadPatchBody,
  threadSearchBody,
  threadWithValues,
} from './thread.ts';

export const createThread = defineRoute({
  method: 'post',
  path: '/threads',
  operationId: 'createThread',
  isIdempotent: true,
  tag: 'threads',
  asks: asksNewThread,
  summary: 'Create a thread',
  description: 'Creates an idle thread, with the given id or a generated one.',
  body: threadCreateBody,
  responses: {
    201: { description: 'The new thread.', schema: thread },
    200: { description: 'The existing thread (`if_exists: do_nothing`).', schema: thread },
  },
  errors: ['thread_exists', 'storage_full'],
});

export const getThread = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}',
  operationId: 'getThread',
  tag: 'threads',
  asks: [asksThread('read')],
  summary: 'Read a thread',
  description: 'The thread with its state values.',
  params: threadParams,
  responses: { 200: { description: 'The thread.', schema: threadWithValues } },
  errors: ['invalid_request', 'thread_not_found', ...stateReadErrors],
});

export const patchThread = defineRoute({
  method: 'patch',
  path: '/threads/{thread_id}',
  operationId: 'patchThread',
  tag: 'threads',
  asks: [asksThread('update')],
  summary: "Change a thread's metadata",
  description:
    'Merges the metadata by key. `created_at` is not populated in the answer and is the zero time `0001-01-01T00:00:00Z`; read the thread for the real value.',
  params: threadParams,
  body: threadPatchBody,
  responses: { 200: { description: 'The thread with its new metadata.', schema: thread } },
  errors: ['thread_not_found', 'thread_stopped', 'storage_full'],
});

export const deleteThread = defineRoute({
  method: 'delete',
  path: '/threads/{thread_id}',
  operationId: 'deleteThread',
  tag: 'threads',
  asks: [asksThread('delete')],
  summary: 'Delete a thread',
  description: 'Cancels what runs on it and removes everything. The id may be used again.',
  params: threadParams,
  responses: { 204: { description: 'The thread is gone.' } },
  errors: ['invalid_request', 'thread_not_found'],
});

export const copyThread = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/copy',
  operationId: 'copyThread',
  isIdempotent: true,
  tag: 'threads',
  asks: asksCopyOnce,
  summary: 'Copy a thread',
  description:
    'A new idle thread with the metadata and the head of the root namespace; what sub-graphs have in flight is not copied. A question that waits at the head can be answered on the copy. The copy is independent of its source. To edit the past: copy from a checkpoint, set the state, run.',
  params: threadParams,
  body: threadCopyBody,
  responses: { 201: { description: 'The copy, without values.', schema: thread } },
  errors: [
    'thread_not_found',
    'checkpoint_not_found',
    'thread_exists',
    'checkpoint_too_large',
    'checkpoint_damaged',
    ...storageWriteErrors,
  ],
});

export const searchThreads = defineRoute({
  method: 'post',
  path: '/threads/search',
  operationId: 'searchThreads',
  tag: 'threads',
  asks: asksSearch,
  summary: 'Search threads',
  description:
    'Threads that fit everything given, newest start first, without values; threads of stateless runs never show. `updated_at` equals `created_at`. Follows changes within a second. The header `X-Pagination-Next` is the `cursor` of the next page: it is there while there may be more, also when a page is shorter than `limit`. `X-Pagination-Total` is left out where a policy would have to be asked about more than 1,000 threads.',
  body: threadSearchBody,
  isRead: true,
  responses: { 200: { description: 'The threads.', schema: z.array(thread) } },
  errors: ['history_disabled', 'history_unavailable'],
});

export const getState = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/state',
  operationId: 'getState',
  tag: 'state',
  asks: [asksState('read')],
  summary: "Read a thread's state",
  description: 'The state at the head, without `checkpoint`; empty values when nothing ran yet.',
  params: threadParams,
  query: z.object({ subgraphs }),
  responses: { 200: { description: 'The state.', schema: state } },
  errors: ['invalid_request', 'thread_not_found', ...stateReadErrors],
});

export const updateState = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/state',
  operationId: 'updateState',
  tag: 'state',
  asks: [asksState('update')],
  summary: "Set values of a thread's state",
  description:
    'Writes a new checkpoint through the graph of the agent that ran last, or of the default agent. What waits or runs next stays as it is: an interrupted thread keeps its question, whose id may be another one afterwards. 409 while a run is active or queued.',
  params: threadParams,
  body: stateUpdateBody,
  responses: { 200: { description: 'The state after the change.', schema: updatedState } },
  errors: [
    'thread_not_found',
    'agent_not_found',
    'thread_busy',
    'thread_stopped',
    'checkpoint_too_large',
    ...stateReadErrors,
    ...storageWriteErrors,
    'guest_unavailable',
  ],
});

export const findCheckpointState = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/state/checkpoint',
  operationId: 'findCheckpointState',
  tag: 'state',
  asks: [asksState('read')],
  summary: 'Read the state at a checkpoint, or at the head of a namespace',
  description:
    'By `checkpoint_id`, whatever namespace it is in; without one the head of `checkpoint_ns`, by default of the root.',
  params: threadParams,
  body: checkpointTargetBody,
  isRead: true,
  responses: { 200: { description: 'The state, with its checkpoint.', schema: checkpointState } },
  errors: ['thread_not_found', 'checkpoint_not_found', ...stateReadErrors],
});

export const getCheckpointState = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/state/{checkpoint_id}',
  operationId: 'getCheckpointState',
  tag: 'state',
  asks: [asksState('read')],
  summary: 'Read the state at a checkpoint',
  description: 'The state at a retained checkpoint, whatever namespace it is in.',
  params: threadParams.extend({ checkpoint_id: z.string() }),
  query: z.object({ subgraphs }),
  responses: { 200: { description: 'The state, with its checkpoint.', schema: checkpointState } },
  errors: ['invalid_request', 'thread_not_found', 'checkpoint_not_found', ...stateReadErrors],
});

export const getHistory = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/history',
  operationId: 'getHistory',
  tag: 'state',
  asks: [asksState('history')],
  summary: "List a thread's checkpoints",
  description:
    'The retained checkpoints of the root namespace, most recent first. They are sent as they are read: an answer that breaks off has failed.',
  params: threadParams,
  query: z.object({
    limit: limitQuery,
    checkpoint_ns: z.exactOptional(z.string({ error: 'must be given once' })).meta({
      description: 'Extension: the namespace; empty is the root, `*` is all.',
    }),
  }),
  responses: { 200: { description: 'The checkpoints.', schema: z.array(historyEntry) } },
  errors: ['invalid_request', 'thread_not_found', ...stateReadErrors],
});

export const findHistory = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/history',
  operationId: 'findHistory',
  tag: 'state',
  asks: [asksState('history')],
  summary: "Search a thread's checkpoints",
  description:
    'The retained checkpoints of one namespace, most recent first, from `before` on. They are sent as they are read: an answer that breaks off has failed.',
  params: threadParams,
  body: historyBody,
  isRead: true,
  responses: { 200: { description: 'The checkpoints.', schema: z.array(historyEntry) } },
  errors: ['thread_not_found', ...stateReadErrors],
});
