import type { JsonMembers } from '../../model/json.ts';
import { mergedAnnotations } from './annotation-merge.ts';
import type { DomainSet, Grant, PrincipalGroup } from './domain-set.ts';
import type { Porc } from './porc.ts';

/** A role or a scope that a principal has; without a grant no domain defines it. */
export interface Held {
  mrn: string;
  grant?: Grant;
}

/** The roles, scopes and groups that a principal's claims name. */
export interface PrincipalGrants {
  /** Its own roles first, then those of its groups, without duplicates. */
  roles: readonly Held[];
  scopes: readonly Held[];
  groups: readonly PrincipalGroup[];
}

/** Looks up the roles, groups and scopes of a principal over all domains. Groups that no domain defines are ignored. */
export function grantsOf(set: DomainSet, principal: Porc['principal']): PrincipalGrants {
  const groups = principal.mgroups.flatMap((mrn) => set.groups.get(mrn) ?? []);
  const throughGroups = groups.flatMap((group) => group.roles);
  const roles = new Map(principal.mroles.map((mrn) => [mrn, held(mrn, set.roles)]));
  for (const grant of throughGroups) {
    if (!roles.has(grant.mrn)) roles.set(grant.mrn, { mrn: grant.mrn, grant });
  }
  const scopes = principal.scopes.map((mrn) => held(mrn, set.scopes));
  return { roles: [...roles.values()], scopes, groups };
}

/**
 * The principal with its annotations completed. Strongest first: its own, those of its scopes, groups, roles, the
 * domains' defaults. Within each of these the first named is the strongest.
 */
export function completedPrincipal(
  set: DomainSet,
  principal: Porc['principal'],
  { roles, scopes, groups }: PrincipalGrants,
): JsonMembers {
  const layers = [
    set.annotationDefaults.toReversed(),
    ...annotationsOf(roles.flatMap(({ grant }) => grant ?? [])),
    ...annotationsOf(groups),
    ...annotationsOf(scopes.flatMap(({ grant }) => grant ?? [])),
    Object.entries(principal.mannotations).map(([name, value]) => ({ name, value })),
  ];
  return { ...principal, mannotations: mergedAnnotations(layers) };
}

function annotationsOf(strongestFirst: readonly Pick<Grant, 'annotations'>[]) {
  return strongestFirst.toReversed().map(({ annotations }) => annotations);
}

function held(mrn: string, grants: ReadonlyMap<string, Grant>): Held {
  const grant = grants.get(mrn);
  return grant ? { mrn, grant } : { mrn };
}
