import type { Principal } from '../model/principal.ts';

/** Claims that are lists of names. An issuer that has only one to tell may write it without the list. */
const LISTS = ['mroles', 'mgroups'] as const;

function namesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}

/** The principal that the claims tell of; every claim is kept by its name (decisions: "auth header"). */
export function principalOf(claims: Record<string, unknown> & { sub: string }): Principal {
  const kept: Record<string, unknown> & { sub: string } = { ...claims };
  for (const name of LISTS) {
    if (Object.hasOwn(kept, name)) kept[name] = namesOf(kept[name]);
  }
  return { sub: kept.sub, mroles: namesOf(kept['mroles']), claims: kept };
}
