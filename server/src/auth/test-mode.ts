import { ServiceError } from '../errors/service-error.ts';
import type { Logger } from '../observability/logger.ts';
import { anonymousPrincipal } from '../model/principal.ts';
import { type Authenticator, principalOf } from './authenticator.ts';

const HEADER = 'x-test-principal';
const SIZE_LIMIT = 8 * 1024;
/** Claims that give roles. Spec: Authentication, 5; groups give roles too (decisions: "test mode"). */
const STRIPPED = ['mroles', 'mgroups'];
const WARNING_PAUSE_MS = 60_000;

/**
 * Authenticates every request as the principal in its header X-Test-Principal, without roles and groups; without the
 * header it is anonymous. For development only.
 */
export function createTestAuthenticator(options: {
  logger: Logger;
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
}): Authenticator {
  const { logger, now = Date.now } = options;
  let warnedAt = -Infinity;
  let unsaid = 0;

  /** At most one line a minute, whatever the number of requests. */
  function warn(sub: string): void {
    unsaid += 1;
    if (now() - warnedAt < WARNING_PAUSE_MS) return;
    warnedAt = now();
    const claims = STRIPPED.join(', ');
    logger.warn({ sub, claims, requests: unsaid }, 'roles of X-Test-Principal are left out');
    unsaid = 0;
  }

  return {
    authenticate(headers) {
      const values = headers[HEADER];
      if (values === undefined) return anonymousPrincipal;
      const claims = parseClaims(values);
      if (STRIPPED.some((name) => Object.hasOwn(claims, name))) warn(claims.sub);
      return principalOf({ ...claims, mroles: [], mgroups: [] });
    },
  };
}

function parseClaims(values: readonly string[]): Record<string, unknown> & { sub: string } {
  const [value = '', ...further] = values;
  if (further.length > 0) throw refused('is given more than once');
  if (value.length > SIZE_LIMIT) throw refused(`is longer than ${SIZE_LIMIT} bytes`);
  const claims = parseObject(value);
  const sub = claims?.['sub'];
  if (claims === undefined || typeof sub !== 'string' || sub === '') {
    throw refused('is not a JSON object with a text "sub"');
  }
  return { ...claims, sub };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    // Node reads header bytes as Latin-1; JSON is UTF-8.
    const parsed: unknown = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return parsed as Record<string, unknown>; // a JSON object has text keys
  } catch {
    return undefined;
  }
}

function refused(why: string): ServiceError {
  return new ServiceError('invalid_request', `The header X-Test-Principal ${why}.`);
}
