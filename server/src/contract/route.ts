import { z } from 'zod';
import type { AskedPermission } from './permissions.ts';

/** One thing that is wrong with a request. */
const issue = z
  .object({
    path: z
      .string()
      .meta({ description: 'Where, as `config.recursion_limit`; empty for the whole.' }),
    message: z.string(),
  })
  .meta({ id: 'Issue' });

/** The body of every HTTP failure. The generator puts in the codes of the error table. */
export function errorBody(codes: readonly [string, ...string[]]) {
  return z
    .object({
      code: z.enum(codes).meta({ description: 'Stable. Branch on it, never on the message.' }),
      message: z.string(),
      detail: z.string().meta({ description: 'The same sentence as `message`.' }),
      metadata: z.looseObject({
        request_id: z.string(),
        issues: z.exactOptional(z.array(issue)),
      }),
    })
    .meta({ id: 'Error', description: 'The body of every HTTP failure.' });
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One success response of a route. Without `schema` the body is empty or of another media type. */
export interface RouteResponse {
  description: string;
  schema?: z.ZodType;
  mediaType?: string;
  /** Another form of the same, for those whose Accept header asks for it. */
  alternative?: string;
}

/** One endpoint as clients see it: the OpenAPI text and the parsing at the door come from here. */
export interface RouteContract {
  method: HttpMethod;
  /** With `{name}` placeholders. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** What the policy is asked, in this order. Empty: nothing, for routes that are public or do nothing. */
  asks: readonly AskedPermission[];
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Instead of `body`: bytes of this media type, which the handler reads itself. */
  binaryBody?: { mediaType: string; description: string };
  /** The body is an array, which the handler gets as the member `items`. */
  takesList?: true;
  /** By HTTP status. */
  responses: Record<number, RouteResponse>;
  /** Error codes besides those that every route may return (see `anyRouteErrors`). */
  errors: readonly string[];
  /** Takes the header Idempotency-Key (decisions: "retried POSTs"). */
  isIdempotent?: true;
  /** A POST that only reads, as every GET does that does not say otherwise: it ends with its client. */
  isRead?: true;
  /** No credentials and no policy (decisions: "/health"). */
  isPublic?: true;
  /**
   * Of a GET that changes something, always or by such a parsed query: pages of other origins may not send it then
   * (decisions: "pages of other origins").
   */
  changes?: (query: Readonly<Record<string, unknown>>) => boolean;
}

/** What any route may return. */
export const anyRouteErrors = ['method_not_allowed', 'host_not_allowed', 'internal'] as const;

/** What every route that changes something may return. */
export const changingRouteErrors = ['origin_not_allowed'] as const;

/** What every route behind authentication and the engine may return. */
export const guardedRouteErrors = [
  // Credentials that are no credentials: two Authorization headers, a wrong X-Test-Principal.
  'invalid_request',
  'unauthenticated',
  'issuer_unavailable',
  'permission_denied',
  'engine_unavailable',
  'service_stopping',
] as const;

/** What every route with a body may return. */
export const bodyRouteErrors = [
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
] as const;

/** Of every response with values of a state: some may lie in the external checkpoint storage. */
export const stateReadErrors = [
  'state_too_large',
  'checkpoint_damaged',
  'storage_unavailable',
] as const;

/** Of every request that puts something into the external checkpoint storage; what else writes may find the disk full. */
export const storageWriteErrors = ['storage_unavailable', 'storage_full'] as const;

/** Keeps the literal types of a route, so that its handler sees what was parsed. */
export function defineRoute<const R extends RouteContract>(route: R): R {
  return route;
}
