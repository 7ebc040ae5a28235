import { z } from 'zod';
import { defineRoute, type HttpMethod, type RouteContract } from '../../contract/route.ts';

/** Where the API of LangGraph Server is offered. */
export const COMPAT_BASE = '/compat/langgraph';

const names = /\{(\w+)\}/g;

/** A route of LangGraph Server. It is parsed like one of ours, and is in no OpenAPI document of ours. */
export function compatRoute<
  const B extends z.ZodObject | undefined = undefined,
  const Q extends z.ZodObject | undefined = undefined,
>(
  method: HttpMethod,
  path: string,
  parts: { body?: B; query?: Q } & Pick<
    RouteContract,
    'asks' | 'isPublic' | 'takesList' | 'isIdempotent' | 'isRead' | 'changes'
  >,
) {
  const params = z.object(
    Object.fromEntries([...path.matchAll(names)].map(([, name = '']) => [name, z.string()])),
  );
  const route = {
    method,
    path: `${COMPAT_BASE}${path}`,
    operationId: `${method} ${path}`,
    tag: 'compat',
    summary: path,
    description: path,
    responses: {},
    errors: [],
    params,
    ...parts,
  };
  // The members of `parts` are the ones that were given, as the two parameters say.
  return defineRoute(route as RouteContract & { params: typeof params; body: B; query: Q });
}

/** Boolean parameters as both clients write them. */
export const flagQuery = z
  .string()
  .optional()
  .transform((text) => ['1', 'true', 'True'].includes(text ?? ''));

/** A list that is given as one value, or repeated. */
export const listQuery = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => {
    // The client for Python writes `stream_mode=` when it has none.
    const named = [given ?? []].flat().filter((one) => one !== '');
    return named.length === 0 ? undefined : named;
  });

/** `null` counts as not given, as it does for LangGraph Server. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Only the members that are asked for. */
export function selected<T extends object>(row: T, names: readonly string[] | undefined): object {
  if (names === undefined) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}
