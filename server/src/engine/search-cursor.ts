import { ServiceError } from '../errors/service-error.ts';
import { textHash } from '../model/thread-index.ts';
import type { ThreadFilter } from './port.ts';

/** A cursor for clients: the engine's page token, bound to the filter that it was made for. */
export function writeCursor(filter: ThreadFilter, token: Uint8Array): string {
  const text = Buffer.from(token).toString('base64');
  return Buffer.from(JSON.stringify([text, bindingOf(filter, text)])).toString('base64url');
}

/** The page token of a cursor. `invalid_request` when it is none of this search. */
export function readCursor(filter: ThreadFilter, cursor: string): Uint8Array {
  const parts = parsed(cursor);
  const [text, binding] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (typeof text === 'string' && binding === bindingOf(filter, text)) {
    return Buffer.from(text, 'base64');
  }
  throw badCursor();
}

/** What is wrong with a cursor, whoever finds out. */
export function badCursor(cause?: unknown): ServiceError {
  const message = 'is not one of this search: X-Pagination-Next, with the same filters';
  return new ServiceError('invalid_request', `cursor: ${message}.`, {
    details: { issues: [{ path: 'cursor', message }] },
    ...(cause === undefined ? {} : { cause }),
  });
}

function bindingOf(filter: ThreadFilter, text: string): string {
  const { status, metadata = {}, ids, idPrefix, agentId, runStatus } = filter;
  const pairs = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return textHash(JSON.stringify([status, pairs, ids, idPrefix, agentId, runStatus, text]));
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
