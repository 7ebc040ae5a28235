import { z } from 'zod';
import {
  asksRun,
  asksRunAwaited,
  asksRunList,
  asksStateless,
  asksStatelessAwaited,
  asksStatelessFollowed,
} from './permissions.ts';
import { defineRoute, storageWriteErrors } from './route.ts';
import { runCreateBody, streamMode } from './run-create.ts';
import { run, runLogs, runParams, threadRunParams } from './run.ts';
import { afterQuery, limitQuery, offsetQuery, waitQuery } from './scalars.ts';
import { threadParams } from './thread.ts';

const createErrors = [
  'agent_not_found',
  'checkpoint_not_found',
  'guest_unavailable',
  ...storageWriteErrors,
] as const;
const onThread = ['thread_not_found', 'thread_stopped', 'thread_busy', 'not_interrupted'] as const;

/** Of every stream over GET. */
export const streamQuery = z.object({
  stream_mode: z.exactOptional(streamMode),
  last_event_id: z
    .exactOptional(
      z
        .string({ error: 'must be given once' })
        .regex(/^\d{1,16}$/, { error: 'must be the id of an event' }),
    )
    .meta({ description: 'Extension: as the header Last-Event-ID: only what came after it.' }),
  replay: z
    .exactOptional(z.enum(['true', 'false'], { error: 'must be true or false' }))
    .meta({ description: 'Extension: `false` leaves out what is already there.' }),
  event_times: z.exactOptional(z.enum(['true', 'false'], { error: 'must be true or false' })).meta({
    description:
      'Extension: with `true` a comment before each event says when it was published, also in a replay: `: at 2026-11-21T12:00:00.000Z`.',
  }),
});

const sse = (description: string) => ({ description, mediaType: 'text/event-stream' });
const afterIt =
  'Comments: `: heartbeat` every 10 s, `: gap` where earlier events are no longer there; then one `values` event of the last checkpoint follows.';

const logsQuery = z.object({ after: afterQuery, limit: limitQuery });
const logsResponses = {
  200: { description: 'The lines, oldest first.', schema: runLogs, alternative: 'text/plain' },
};
const logsDescription =
  "Extension: what the run's agent wrote to stdout and stderr, of all attempts, oldest first: 100 lines unless `limit` says otherwise. Ask again with the last `id` as `after` for what came since. With `Accept: text/plain` only the texts, a line each. Kept by the service that ran it until 10 minutes after its end, at most 10,000 lines or about 1 MB of one run; the oldest go first.";

export const createRun = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/runs',
  operationId: 'createRun',
  isIdempotent: true,
  tag: 'runs',
  asks: asksRunAwaited,
  summary: 'Run an agent on a thread',
  description:
    'Responds with 202 at once. With `wait`, responds with 200 when the run completed, failed, was cancelled or waits for a human; 504 when the window elapses first, and the run continues. A second run is queued behind the active one, unless `multitask_strategy` says otherwise.',
  params: threadParams,
  query: z.object(waitQuery),
  body: runCreateBody,
  responses: {
    202: { description: 'The run was accepted.', schema: run },
    200: { description: 'The run as it ended (with `wait`).', schema: run },
  },
  errors: [...createErrors, ...onThread, 'wait_elapsed'],
});

export const listRuns = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs',
  operationId: 'listRuns',
  tag: 'runs',
  asks: asksRunList(),
  summary: "List a thread's runs",
  description: 'Newest first. Extension headers X-Pagination-Total and X-Pagination-Next.',
  params: threadParams,
  query: z.object({ limit: limitQuery, offset: offsetQuery }),
  responses: { 200: { description: 'The runs.', schema: z.array(run) } },
  errors: ['invalid_request', 'thread_not_found'],
});

export const getThreadRun = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs/{run_id}',
  operationId: 'getThreadRun',
  tag: 'runs',
  asks: [asksRun('read')],
  summary: 'Read a run of a thread',
  description: 'The run, with its output once it completed.',
  params: threadRunParams,
  responses: { 200: { description: 'The run.', schema: run } },
  errors: ['invalid_request', 'thread_not_found', 'run_not_found'],
});

export const streamThreadRun = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs/{run_id}/stream',
  operationId: 'streamThreadRun',
  tag: 'runs',
  asks: [asksRun('stream')],
  summary: 'Follow a run of a thread',
  description: `Server-sent events named after the chunk type with the chunk's raw payload; \`done\` with \`{}\` at the end, or \`error\` with \`{error, code}\`. ${afterIt}`,
  params: threadRunParams,
  query: streamQuery,
  responses: { 200: sse('The events.') },
  errors: ['invalid_request', 'thread_not_found', 'run_not_found'],
});

export const getThreadRunLogs = defineRoute({
  method: 'get',
  path: '/threads/{thread_id}/runs/{run_id}/logs',
  operationId: 'getThreadRunLogs',
  tag: 'runs',
  asks: [asksRun('logs')],
  summary: 'Read the output of a run of a thread',
  description: logsDescription,
  params: threadRunParams,
  query: logsQuery,
  responses: logsResponses,
  errors: ['invalid_request', 'thread_not_found', 'run_not_found'],
});

export const cancelThreadRun = defineRoute({
  method: 'post',
  path: '/threads/{thread_id}/runs/{run_id}/cancel',
  operationId: 'cancelThreadRun',
  tag: 'runs',
  asks: [asksRun('cancel')],
  summary: 'Cancel a run of a thread',
  description: 'Asks the run to stop. A run that has ended is returned unchanged.',
  params: threadRunParams,
  responses: { 202: { description: 'The run.', schema: run } },
  errors: ['invalid_request', 'thread_not_found', 'run_not_found'],
});

export const createStatelessRun = defineRoute({
  method: 'post',
  path: '/runs',
  operationId: 'createStatelessRun',
  isIdempotent: true,
  tag: 'stateless runs',
  asks: asksStateless,
  summary: 'Run an agent without a thread',
  description: 'Creates an ephemeral thread for the run and responds with 202 at once.',
  body: runCreateBody,
  responses: { 202: { description: 'The run was accepted.', schema: run } },
  errors: createErrors,
});

export const waitStatelessRun = defineRoute({
  method: 'post',
  path: '/runs/wait',
  operationId: 'waitStatelessRun',
  isIdempotent: true,
  tag: 'stateless runs',
  asks: asksStatelessAwaited,
  summary: 'Run an agent without a thread and wait',
  description:
    'Answers the run as it ended; 504 when the window (10 minutes by default) elapses first.',
  query: z.object(waitQuery),
  body: runCreateBody,
  responses: { 200: { description: 'The run as it ended.', schema: run } },
  errors: [...createErrors, 'wait_elapsed'],
});

export const streamStatelessRun = defineRoute({
  method: 'post',
  path: '/runs/stream',
  operationId: 'streamStatelessRun',
  isIdempotent: true,
  tag: 'stateless runs',
  asks: asksStatelessFollowed,
  summary: 'Run an agent without a thread and follow it',
  description: `Server-sent events: first \`start\` with {run_id, thread_id, status}, then one per chunk named after its type with \`{type, data}\`, at last \`done\` with the final run. A failure is an \`error\` event with \`{error, code}\` before \`done\`. ${afterIt}`,
  query: z.object({ stream_mode: z.exactOptional(streamMode) }),
  body: runCreateBody,
  responses: { 200: sse('The events.') },
  errors: createErrors,
});

export const getRun = defineRoute({
  method: 'get',
  path: '/runs/{run_id}',
  operationId: 'getRun',
  tag: 'runs by id',
  asks: [asksRun('read')],
  summary: 'Read a run',
  description: 'Any run, by its composite id.',
  params: runParams,
  responses: { 200: { description: 'The run.', schema: run } },
  errors: ['run_not_found'],
});

export const waitRun = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/wait',
  operationId: 'waitRun',
  tag: 'runs by id',
  asks: [asksRun('read')],
  summary: 'Wait for the end of a run',
  description:
    'Returns the run once it is terminal or waits for a human; 504 when the window (10 minutes by default) elapses first, and the run continues.',
  params: runParams,
  query: z.object(waitQuery),
  responses: { 200: { description: 'The run as it ended.', schema: run } },
  errors: ['invalid_request', 'run_not_found', 'wait_elapsed'],
});

export const streamRun = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/stream',
  operationId: 'streamRun',
  tag: 'runs by id',
  asks: [asksRun('stream')],
  summary: 'Follow a run',
  description: `Server-sent events, one per chunk named after its type with \`{type, data}\`, at last \`done\` with the final run. A failure is an \`error\` event with \`{error, code}\` before \`done\`. ${afterIt}`,
  params: runParams,
  query: streamQuery,
  responses: { 200: sse('The events.') },
  errors: ['invalid_request', 'run_not_found'],
});

export const getRunLogs = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/logs',
  operationId: 'getRunLogs',
  tag: 'runs by id',
  asks: [asksRun('logs')],
  summary: 'Read the output of a run',
  description: logsDescription,
  params: runParams,
  query: logsQuery,
  responses: logsResponses,
  errors: ['invalid_request', 'run_not_found'],
});

export const cancelRun = defineRoute({
  method: 'post',
  path: '/runs/{run_id}/cancel',
  operationId: 'cancelRun',
  tag: 'runs by id',
  asks: [asksRun('cancel')],
  summary: 'Cancel a run',
  description: 'Asks the run to stop. A run that has ended is returned unchanged.',
  params: runParams,
  responses: { 202: { description: 'The run.', schema: run } },
  errors: ['run_not_found'],
});

export const deleteRun = defineRoute({
  method: 'delete',
  path: '/runs/{run_id}',
  operationId: 'deleteRun',
  tag: 'runs by id',
  asks: [asksRun('delete')],
  summary: 'Delete a run',
  description:
    "Removes the run's record, events and checkpoints, except the thread's head. 409 while it is pending or running.",
  params: runParams,
  responses: { 204: { description: 'The run is gone.' } },
  errors: ['run_not_found', 'run_active'],
});
