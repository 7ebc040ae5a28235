/** Example claims, each for one thing. */
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

/** What is wrong with the claims, by the service's rules; undefined when they are valid. */
export function claimsProblem(claims: unknown): string | undefined {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    return 'Claims are a JSON object.';
  if (!('sub' in claims) || typeof claims.sub !== 'string' || claims.sub === '')
    return 'sub names the principal: a non-empty string.';
  return undefined;
}

/** The subject of the claims; empty without one. */
export function subjectOf(claims: Readonly<Record<string, unknown>>): string {
  const { sub } = claims;
  return typeof sub === 'string' ? sub : '';
}

/** Those of the claims that the service strips from the header. */
export function strippedClaims(claims: unknown): string[] {
  if (typeof claims !== 'object' || claims === null) return [];
  return ['mroles', 'mgroups'].filter((name) => Object.hasOwn(claims, name));
}
