import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { idempotencyKey } from '../../contract/run-create.ts';
import type { RouteContract } from '../../contract/route.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Idempotency } from '../../model/thread/idempotency.ts';
import type { Principal } from '../../model/principal.ts';

const HEADER = 'Idempotency-Key';

/**
 * The key that identifies a repeated creation: endpoint, principal and key, and the exact bytes of the body (decisions:
 * "retried POSTs"). Query parameters do not count. Undefined without the header.
 */
export function idempotencyOf(
  req: Pick<IncomingMessage, 'headersDistinct'> & { body?: unknown },
  { method, path }: Pick<RouteContract, 'method' | 'path'>,
  request: { params: Record<string, unknown>; principal: Pick<Principal, 'sub'> },
): Idempotency | undefined {
  const given = req.headersDistinct[HEADER.toLowerCase()];
  if (given === undefined) return undefined;
  const [key = ''] = given;
  if (given.length > 1 || !idempotencyKey.test(key)) throw invalidKey();
  const body = req.body instanceof Uint8Array ? req.body : new Uint8Array(0);
  const scope = JSON.stringify([method, path, request.params, request.principal.sub, key]);
  return { key: hashOf(scope), body: hashOf(body) };
}

/** 192 bits: accidental collisions are practically impossible, and a thread may keep a thousand of them. */
function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 32);
}

function invalidKey(): ServiceError {
  const message = 'must be given once, with 1 to 255 visible ASCII characters';
  return new ServiceError('invalid_request', `${HEADER} ${message}.`, {
    details: { issues: [{ path: HEADER, message }] },
  });
}
