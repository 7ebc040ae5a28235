import type { Request } from 'express';

import type { RequestLine } from '../../auth/authenticator.ts';
import { COMPAT_BASE } from '../compat/compat-route.ts';

/**
 * What a request asks for, where LangGraph's own server would have the route: handlers of its `Auth` may look at the
 * path. It is the path that the route was found by, also where the target is a whole URL (RFC 9112, 3.2.2) or has a
 * fragment: otherwise a handler decides about another path than the one that is answered.
 */
export function requestLineOf(
  request: Pick<Request, 'method' | 'originalUrl' | 'path'>,
): RequestLine {
  const { method, originalUrl, path } = request;
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(originalUrl) ?? [];
  const rawPath = path.startsWith(`${COMPAT_BASE}/`) ? path.slice(COMPAT_BASE.length) : path;
  return { method, path: decoded(rawPath), rawPath, query };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // as it came: no route has it
  }
}
