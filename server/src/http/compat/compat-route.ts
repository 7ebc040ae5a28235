import { z } from 'zod';
import { defineRoute, type HttpMethod, type RouteContract } from '../../contract/route.ts';

/** The base path of LangGraph Server's API. */
export const COMPAT_BASE = '/compat/langgraph';

const names = /\{(\w+)\}/g;

/** A route of LangGraph Server. It is parsed like our own routes, but is not in our OpenAPI document. */
export const compatRoute = routesUnder(COMPAT_BASE);

/** The same for another API under a base path of its own. */
export function routesUnder(base: string) {
  return <
    const B extends z.ZodObject | undefined = undefined,
    const Q extends z.ZodObject | undefined = undefined,
  >(
    method: HttpMethod,
    path: string,
    parts: RouteParts<B, Q>,
  ) => routeOf(base, method, path, parts);
}

type RouteParts<B, Q> = { body?: B; query?: Q } & Pick<
  RouteContract,
  'asks' | 'isPublic' | 'takesList' | 'isIdempotent' | 'isRead' | 'changes'
>;

function routeOf<const B extends z.ZodObject | undefined, const Q extends z.ZodObject | undefined>(
  base: string,
  method: HttpMethod,
  path: string,
  parts: RouteParts<B, Q>,
) {
  const params = z.object(
    Object.fromEntries([...path.matchAll(names)].map(([, name = '']) => [name, z.string()])),
  );
  const route = {
    method,
    path: `${base}${path}`,
    operationId: `${method} ${path}`,
    tag: 'compat',
    summary: path,
    description: path,
    responses: {},
    errors: [],
    params,
    ...parts,
  };
  // The type parameters describe which members of `parts` are given.
  return defineRoute(route as RouteContract & { params: typeof params; body: B; query: Q });
}

/** A boolean parameter, in the forms that both clients write. */
export const flagQuery = z
  .string()
  .optional()
  .transform((text) => ['1', 'true', 'True'].includes(text ?? ''));

/** A list given as one value or as a repeated parameter. */
export const listQuery = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => {
    // The Python client writes `stream_mode=` for an empty list.
    const named = [given ?? []].flat().filter((one) => one !== '');
    return named.length === 0 ? undefined : named;
  });

/** The same, or a JSON array of texts, as the JavaScript client writes a list. */
export const jsonListQuery = listQuery.transform((given) => {
  const [only = '', ...others] = given ?? [];
  if (others.length > 0 || !only.startsWith('[')) return given;
  try {
    const list = z.array(z.string()).parse(JSON.parse(only));
    return list.length === 0 ? undefined : list;
  } catch {
    return given; // its content is refused as any other text
  }
});

/** `null` counts as not given, as in LangGraph Server. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Only the requested members. */
export function selected<T extends object>(row: T, names: readonly string[] | undefined): object {
  if (names === undefined) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));
}
