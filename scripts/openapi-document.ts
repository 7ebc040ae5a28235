import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import {
  anyRouteErrors,
  bodyRouteErrors,
  changingRouteErrors,
  errorBody,
  guardedRouteErrors,
  type RouteContract,
} from '../server/src/contract/route.ts';
import { idempotencyHeader } from '../server/src/contract/run-create.ts';
import { routes } from '../server/src/contract/routes.ts';
import { type ErrorCode, errorTable } from '../server/src/errors/codes.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]; // the table has rows

const tagDescriptions: Record<string, string> = {
  service: 'Health, probes, versions and this document.',
  threads: 'Conversations: each is a durable workflow.',
  runs: 'Executions of an agent in a thread.',
  'stateless runs': 'Executions on a thread of their own, which ends with them.',
  'runs by id': 'Any run by its composite id.',
  state: 'What an agent knows: now, and at every retained checkpoint.',
  agents: 'What can be run.',
  store: 'Values that outlive threads.',
  policy: 'Who may do what, and why.',
};

/** The OpenAPI document of the service, made from the contract and the error table. */
export function openApiDocument(version: string): object {
  const failure = errorBody(codes);
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route, failure) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Agent Runtime',
      version,
      description:
        'Runs LangGraph agents durably. Every failure has the same body (`Error`); branch on its `code`. Every answer carries `X-Request-Id` and `X-Service-Version`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that this document was read from.' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => {
      return { name, description: tagDescriptions[name] ?? '' };
    }),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of the configured issuer; asked for when `api.auth.enabled` is on.',
        },
      },
    },
  });
}

/** Every code a route may answer, its own and those it shares. */
export function errorCodesOf(route: RouteContract): ErrorCode[] {
  const all: string[] = [
    ...route.errors,
    ...(route.body ? bodyRouteErrors : []),
    ...(route.isIdempotent ? ['idempotency_conflict'] : []),
    ...(route.isPublic ? [] : guardedRouteErrors),
    ...(route.method === 'get' && route.changes === undefined ? [] : changingRouteErrors),
    ...anyRouteErrors,
  ];
  return codes.filter((code) => all.includes(code));
}

function operation(
  route: RouteContract,
  failure: ReturnType<typeof errorBody>,
): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, params, query, body } = route;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    // An empty alternative: authentication is off by default (spec: Authentication, 1).
    security: route.isPublic ? [] : [{ bearer: [] }, {}],
    requestParams: {
      ...(params ? { path: params } : {}),
      ...(query ? { query } : {}),
      ...(route.isIdempotent ? { header: idempotencyHeader } : {}),
    },
    ...(body ? { requestBody: requestBody(body) } : {}),
    ...(route.binaryBody ? { requestBody: binaryBody(route.binaryBody) } : {}),
    responses: { ...responses(route), ...failures(route, failure) },
  };
}

/** Bytes that the handler reads itself. */
function binaryBody({
  mediaType,
  description,
}: NonNullable<RouteContract['binaryBody']>): NonNullable<
  ZodOpenApiOperationObject['requestBody']
> {
  const schema = { type: 'string' as const, format: 'binary' };
  return { required: true, description, content: { [mediaType]: { schema } } };
}

/** A body may be left out where an empty object would do (http/request/json-body.ts). */
function requestBody(
  body: NonNullable<RouteContract['body']>,
): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const required = !body.safeParse({}).success;
  return { required, content: { 'application/json': { schema: body } } };
}

function responses(route: RouteContract): ZodOpenApiOperationObject['responses'] {
  return Object.fromEntries(
    Object.entries(route.responses).map(
      ([status, { description, schema, mediaType, alternative }]) => {
        const type = mediaType ?? 'application/json';
        if (!schema && !mediaType) return [status, { description }];
        const content = {
          [type]: schema ? { schema } : {},
          ...(alternative === undefined ? {} : { [alternative]: {} }),
        };
        return [status, { description, content }];
      },
    ),
  );
}

/** One response per status; its description lists the codes. A status that is an answer too keeps that. */
function failures(
  route: RouteContract,
  failure: ReturnType<typeof errorBody>,
): ZodOpenApiOperationObject['responses'] {
  const byStatus: Record<number, ErrorCode[]> = {};
  for (const code of errorCodesOf(route)) (byStatus[errorTable[code].status] ??= []).push(code);
  return Object.fromEntries(
    Object.entries(byStatus)
      .filter(([status]) => !(status in route.responses))
      .map(([status, own]) => [
        status,
        {
          description: own.map((code) => `\`${code}\`: ${errorTable[code].sentence}`).join(' '),
          content: { 'application/json': { schema: failure } },
        },
      ]),
  );
}
