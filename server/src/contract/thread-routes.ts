import { z } from 'zod';
import { defineRoute } from './route.ts';
import { limitQuery } from './scalars.ts';
import { historyEntry, state } from './state.ts';
import {
  thread,
  threadCreateBody,
  threadParams,
  threadPatchBody,
  threadWithValues,
} from './thread.ts';

export const createThread = defineRoute({
  method: 'post',
  path: '/threads',
  operationId: 'createThread',
  tag: 'threads',
  summary: 'Create a thread',
  description: 'Creates an idle thread, with the given id or a generated one.',
  body: threadCreateBody,
  answers: {
    201: { description: 'The new thread.', schema: thread },
    200: { description: 'The existing thread (`if_exists: do_nothing`).', schema: thread },
  },
  errors: ['thread_exists'],
});

export const getThread = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}',
  operationId: 'getThread',
  tag: 'threads',
  summary: 'Read a thread',
  description: 'The thread with its state values.',
  params: threadParams,
  answers: { 200: { description: 'The thread.', schema: threadWithValues } },
  errors: ['invalid_request', 'thread_not_found', 'state_too_large'],
});

export const patchThread = defineRoute({
  method: 'patch',
  path: '/threads/{thread_id}',
  operationId: 'patchThread',
  tag: 'threads',
  summary: "Change a thread's metadata",
  description:
    'Merges the metadata by key. `created_at` is not populated in the answer and is the zero time `0001-01-01T00:00:00Z`; read the thread for the real value.',
  params: threadParams,
  body: threadPatchBody,
  answers: { 200: { description: 'The thread with its new metadata.', schema: thread } },
  errors: ['thread_not_found'],
});

export const deleteThread = defineRoute({
  method: 'delete',
  path: '/threads/{thread_id}',
  operationId: 'deleteThread',
  tag: 'threads',
  summary: 'Delete a thread',
  description: 'Cancels what runs on it and removes everything. The id may be used again.',
  params: threadParams,
  answers: { 204: { description: 'The thread is gone.' } },
  errors: ['invalid_request', 'thread_not_found'],
});

export const getState = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/state',
  operationId: 'getState',
  tag: 'state',
  summary: "Read a thread's state",
  description: 'The state at the head, without `checkpoint`; empty values when nothing ran yet.',
  params: threadParams,
  query: z.object({
    subgraphs: z
      .exactOptional(z.unknown())
      .meta({ description: 'Without effect, whatever it holds.', override: { type: 'string' } }),
  }),
  answers: { 200: { description: 'The state.', schema: state } },
  errors: ['invalid_request', 'thread_not_found', 'state_too_large'],
});

export const getHistory = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/history',
  operationId: 'getHistory',
  tag: 'state',
  summary: "List a thread's checkpoints",
  description: 'The retained checkpoints of the root namespace, most recent first.',
  params: threadParams,
  query: z.object({
    limit: limitQuery,
    checkpoint_ns: z
      .exactOptional(
        z.literal('', {
          error: 'must be empty: other namespaces are not supported by this version',
        }),
      )
      .meta({ description: 'Extension: the namespace; empty is the root.' }),
  }),
  answers: { 200: { description: 'The checkpoints.', schema: z.array(historyEntry) } },
  errors: ['invalid_request', 'thread_not_found', 'state_too_large'],
});
