import { ServiceError } from '../../errors/service-error.ts';
import { textHash } from '../../model/thread/thread-index.ts';
import type { ThreadFilter } from '../requests.ts';

/** The position at which a search continues. */
export interface SearchPosition {
  /** The engine's page token; absent: at the beginning. */
  token?: Uint8Array;
  /** Rows of the offset that are still to be skipped. */
  skip: number;
}

/** A cursor for clients: the position, bound to the filter that it was made for. */
export function writeCursor(filter: ThreadFilter, { token, skip }: SearchPosition): string {
  const text = Buffer.from(token ?? []).toString('base64');
  const parts = [text, bindingOf(filter, text, skip), ...(skip > 0 ? [skip] : [])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The position in a cursor. Throws `invalid_request` when the cursor does not belong to this search. */
export function readCursor(filter: ThreadFilter, cursor: string): SearchPosition {
  const parts = parsed(cursor);
  const [text, binding, skip = 0] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (
    typeof text === 'string' &&
    typeof skip === 'number' &&
    binding === bindingOf(filter, text, skip)
  ) {
    return { token: Buffer.from(text, 'base64'), skip };
  }
  throw badCursor();
}

/** The error for an invalid cursor, whether we or the engine detect it. */
export function badCursor(cause?: unknown): ServiceError {
  const message = 'is not one of this search: X-Pagination-Next, with the same filters';
  return new ServiceError('invalid_request', `cursor: ${message}.`, {
    details: { issues: [{ path: 'cursor', message }] },
    ...(cause === undefined ? {} : { cause }),
  });
}

function bindingOf(filter: ThreadFilter, text: string, skip: number): string {
  const { status, metadata = {}, ids, idPrefix, agentId, runStatus } = filter;
  const pairs = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const position = skip > 0 ? [text, skip] : [text];
  return textHash(JSON.stringify([status, pairs, ids, idPrefix, agentId, runStatus, ...position]));
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
