import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { policyQuery } from '../../api/queries/policy.ts';
import { usePrincipal } from '../../state/principal.ts';

/** A principal whose permissions can be shown. */
export interface PrincipalChoice {
  /** For the URL. */
  readonly id: string;
  readonly name: string;
  readonly group: string;
  /** Absent: the one that requests are sent as. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * The principal that requests are sent as, those of this browser and those of the policy tests. The latter are evaluated
 * with their roles and groups, which the header of test mode cannot contain.
 */
export function usePrincipalChoices(): readonly PrincipalChoice[] {
  const { principals, active } = usePrincipal();
  const { data } = useQuery(policyQuery);
  return useMemo(
    () => [
      {
        id: '',
        name: active === null ? 'You' : `You (${active})`,
        group: 'In use',
      },
      ...principals.map(({ name, claims }) => ({
        id: `own:${name}`,
        name,
        group: 'Of this browser',
        claims,
      })),
      ...(data?.principals ?? []).map(({ name, suite, principal }) => ({
        id: `test:${name}`,
        name: `${name} · ${suite}`,
        group: 'Of the policy tests',
        claims: principal,
      })),
    ],
    [principals, active, data],
  );
}
