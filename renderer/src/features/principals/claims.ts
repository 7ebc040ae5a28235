/** Claims that may be tried, each showing one thing. */
export const exampleClaims: readonly {
  readonly name: string;
  readonly claims: Readonly<Record<string, unknown>>;
}[] = [
  { name: 'ada', claims: { sub: 'ada' } },
  { name: 'reader', claims: { sub: 'reader', scopes: ['read-only'] } },
  {
    name: 'ada of sales',
    claims: { sub: 'ada', mannotations: { department: 'sales', region: 'eu' } },
  },
  { name: 'cleared', claims: { sub: 'grace', mclearance: 'HIGH' } },
];

/** What is wrong with the claims, as the service would see it; undefined when it takes them. */
export function claimsProblem(claims: unknown): string | undefined {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    return 'Claims are a JSON object.';
  if (!('sub' in claims) || typeof claims.sub !== 'string' || claims.sub === '')
    return 'sub names the principal: a text that is not empty.';
  return undefined;
}

/** The name that the claims give; empty where they give none. */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string {
  const { sub } = claims;
  return typeof sub === 'string' ? sub : '';
}

/** Those of the claims that the service takes out of the header. */
export function strippedClaims(claims: unknown): string[] {
  if (typeof claims !== 'object' || claims === null) return [];
  return ['mroles', 'mgroups'].filter((name) => Object.hasOwn(claims, name));
}
