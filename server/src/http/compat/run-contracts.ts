import { z } from 'zod';
import {
  asksBatch,
  asksLeftRun,
  asksRun,
  asksRunAwaited,
  asksRunFollowed,
  asksRunList,
  asksRunOnThread,
  asksStateless,
  asksStatelessAwaited,
  asksStatelessFollowed,
  asksThreadOfRun,
  asksValues,
  asksWebhook,
} from '../../contract/permissions.ts';
import { compatRoute, flagQuery, jsonListQuery, listQuery, optional } from './compat-route.ts';
import { runBody } from './run-body.ts';

const run = '/threads/{thread_id}/runs/{run_id}';
const number = z.exactOptional(
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
);
const followQuery = { cancel_on_disconnect: flagQuery };
const cancelsOnDisconnect = ({ cancel_on_disconnect: isAsked }: Record<string, unknown>) =>
  isAsked === true;

export const create = compatRoute('post', '/threads/{thread_id}/runs', {
  asks: [...asksRunOnThread, ...asksThreadOfRun, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const wait = compatRoute('post', '/threads/{thread_id}/runs/wait', {
  asks: [...asksRunAwaited, ...asksThreadOfRun, asksValues, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const stream = compatRoute('post', '/threads/{thread_id}/runs/stream', {
  asks: [...asksRunFollowed, ...asksThreadOfRun, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const list = compatRoute('get', '/threads/{thread_id}/runs', {
  asks: asksRunList(),
  query: z.object({
    limit: number,
    offset: number,
    status: z.exactOptional(z.string()),
    select: listQuery,
  }),
});
export const get = compatRoute('get', run, { asks: [asksRun('read')] });
export const remove = compatRoute('delete', run, { asks: [asksRun('delete')] });
export const join = compatRoute('get', `${run}/join`, {
  asks: [asksRun('read'), asksValues, asksLeftRun],
  query: z.object(followQuery),
  changes: cancelsOnDisconnect,
});
export const joinStream = compatRoute('get', `${run}/stream`, {
  asks: [asksRun('stream'), asksLeftRun],
  query: z.object({ ...followQuery, stream_mode: jsonListQuery, last_event_id: listQuery }),
  changes: cancelsOnDisconnect,
});
const actionQuery = z.exactOptional(z.enum(['interrupt', 'rollback']));
export const cancel = compatRoute('post', `${run}/cancel`, {
  asks: [asksRun('cancel'), asksRun('delete', 'with `action=rollback`')],
  query: z.object({ wait: flagQuery, action: actionQuery }),
});
export const cancelMany = compatRoute('post', '/runs/cancel', {
  asks: [
    ...asksRunList('without `run_ids`'),
    asksRun('cancel', 'of each run'),
    asksRun('delete', 'of each run, with `action=rollback`'),
  ],
  query: z.object({ action: actionQuery }),
  body: z.object({
    thread_id: optional(z.string()),
    run_ids: optional(z.array(z.string())),
    status: optional(z.enum(['pending', 'running', 'all'])),
  }),
});
export const createStateless = compatRoute('post', '/runs', {
  asks: [...asksStateless, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const waitStateless = compatRoute('post', '/runs/wait', {
  asks: [...asksStatelessAwaited, asksValues, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const streamStateless = compatRoute('post', '/runs/stream', {
  asks: [...asksStatelessFollowed, asksWebhook],
  body: runBody,
  isIdempotent: true,
});
export const batch = compatRoute('post', '/runs/batch', {
  asks: [...asksBatch, asksWebhook],
  body: z.object({ items: z.array(z.unknown()).max(1000) }),
  takesList: true,
});

/** Fixed paths come before those with a run id. */
export const runContracts = [
  ...[create, wait, stream, list, get, remove, join, joinStream, cancel],
  ...[cancelMany, createStateless, waitStateless, streamStateless, batch],
];
