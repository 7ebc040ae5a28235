import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.ts';

const PROBES = new Set(['/health', '/ready', '/live']);

/**
 * True for health probes: orchestrators send them with their own names and addresses, some without a Host header, and
 * have no token. Probes change nothing.
 */
export function isProbe({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && PROBES.has(path);
}

/** The header that an embedder sends with every request, beside the caller's own credentials. */
const HEADER = 'x-service-token';

/**
 * Requires in every request the token that the embedder made for this start, before and apart from authentication:
 * other programs on this machine, and pages in its browsers, must not reach a service that an application keeps for
 * itself. Probes need no token.
 */
export function createServiceTokenCheck(token: string | undefined): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const wanted = digest(token);
  return (req, _res, next) => {
    const given = req.headers[HEADER];
    // Digests have equal length, so the comparison takes constant time.
    const isRight = typeof given === 'string' && timingSafeEqual(digest(given), wanted);
    if (isRight || isProbe(req)) return next();
    const message = 'The X-Service-Token of this service is missing or wrong.';
    next(new ServiceError('unauthenticated', message));
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
