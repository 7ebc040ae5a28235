import { z } from 'zod';
import {
  asksRun,
  asksRunSearch,
  asksStateless,
  asksStatelessAwaited,
  asksStatelessFollowed,
  asksThreadOfRun,
  asksValues,
} from '../../contract/permissions.ts';
import { flagQuery, optional } from '../compat/compat-route.ts';
import { protocolRunBody } from './run-body.ts';
import { protocolRoute } from './protocol-route.ts';

const run = '/runs/{run_id}';

/** A status of Agent Protocol, with our own that it stands for. */
export const statusesOf = {
  pending: ['pending', 'running', 'cancelling'],
  error: ['error'],
  success: ['completed'],
  timeout: [],
  interrupted: ['interrupted', 'cancelled'],
} as const;
const statusNames = ['pending', 'error', 'success', 'timeout', 'interrupted'] as const;

export const create = protocolRoute('post', '/runs', {
  asks: [...asksStateless, ...asksThreadOfRun],
  body: protocolRunBody,
  isIdempotent: true,
});
export const wait = protocolRoute('post', '/runs/wait', {
  asks: [...asksStatelessAwaited, ...asksThreadOfRun, asksValues],
  body: protocolRunBody,
  isIdempotent: true,
});
export const stream = protocolRoute('post', '/runs/stream', {
  asks: [...asksStatelessFollowed, ...asksThreadOfRun],
  body: protocolRunBody,
  isIdempotent: true,
});
export const search = protocolRoute('post', '/runs/search', {
  asks: asksRunSearch,
  body: z.object({
    metadata: optional(z.record(z.string(), z.unknown())),
    status: optional(z.enum(statusNames)),
    thread_id: optional(z.string()),
    agent_id: optional(z.string()),
    limit: optional(z.int().min(1).max(1000)),
    offset: optional(z.int().min(0)),
  }),
  isRead: true,
});
export const get = protocolRoute('get', run, { asks: [asksRun('read')] });
export const remove = protocolRoute('delete', run, { asks: [asksRun('delete')] });
export const join = protocolRoute('get', `${run}/wait`, { asks: [asksRun('read'), asksValues] });
export const joinStream = protocolRoute('get', `${run}/stream`, { asks: [asksRun('stream')] });
export const cancel = protocolRoute('post', `${run}/cancel`, {
  asks: [asksRun('cancel'), asksRun('delete', 'with `action=rollback`')],
  query: z.object({
    wait: flagQuery,
    action: z.exactOptional(z.enum(['interrupt', 'rollback'])),
  }),
});

export const protocolRunContracts = [
  ...[search, wait, stream, create],
  ...[get, remove, join, joinStream, cancel],
];
