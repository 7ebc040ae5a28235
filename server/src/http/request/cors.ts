import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import { contextOf } from './request-context.ts';

/** What a page may read of an answer, beside what every page may. */
const EXPOSED = [
  ...['X-Pagination-Total', 'X-Pagination-Next', 'Location', 'Content-Location', 'Retry-After'],
  ...['WWW-Authenticate', 'X-Request-Id', 'X-Service-Version'],
].join(', ');

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';
const CHANGELESS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets pages of the allowed origins call the service, without cookies; `*` is every origin. Requests that change
 * something are refused when the page of any other origin sends them: a browser asks before most of them, but not before
 * all, and not before a POST without a body. Which GETs change something, only their routes know: `refuseForeignPage`.
 */
export function createCors(allowedOrigins: readonly string[]): RequestHandler {
  const isAny = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  return (req, res, next) => {
    const { origin } = req.headers;
    // What is answered depends on it, whether it is there or not.
    if (allowed.size > 0 && !isAny) res.vary('Origin');
    const isAllowed = origin !== undefined && (isAny || allowed.has(origin));
    if (!isAllowed) {
      contextOf(res).isFromForeignPage = isFromForeignPage(req.headers);
      if (!CHANGELESS.has(req.method)) refuseForeignPage(res);
      return next();
    }
    res.setHeader('Access-Control-Allow-Origin', isAny ? '*' : origin);
    res.setHeader('Access-Control-Expose-Headers', EXPOSED);
    const isPreflight =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) return next();
    res.setHeader('Access-Control-Allow-Methods', METHODS);
    const asked = req.headers['access-control-request-headers'];
    if (asked !== undefined) {
      res.vary('Access-Control-Request-Headers');
      res.setHeader('Access-Control-Allow-Headers', asked);
    }
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    res.statusCode = 204;
    res.end();
  };
}

/** Refuses what would change something and is sent by a page of an origin that is not allowed. */
export function refuseForeignPage(res: Response): void {
  if (contextOf(res).isFromForeignPage !== true) return;
  const message =
    'Only pages of the service itself, and of the origins in api.cors.allowed_origins, may change something.';
  throw new ServiceError('origin_not_allowed', message);
}

/**
 * True when a page of another origin sends this, as far as its browser tells. `Sec-Fetch-Site` decides where it is
 * there: only browsers set it, and they send it to https and to this machine, where no page can be of this origin by a
 * name that was rebound. To other addresses over http they name the origin alone. What has neither is a program.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return false;
  // `none` is a person's doing, such as a bookmark; an extension has it too, and an origin of its own.
  if (site !== undefined && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/** Whatever the scheme: what stands before the service may have taken TLS off. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol)) return false;
  // Parsed alike, so that the scheme's own port may be there or not.
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}
