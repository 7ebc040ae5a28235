import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { policyQuery } from '../../api/queries/policy.ts';
import { usePrincipal, type NamedPrincipal } from '../../state/principal.ts';

/** A principal of the tests of the policies. */
export interface TestPrincipal extends NamedPrincipal {
  /** The name of the tests. */
  readonly suite: string;
}

/**
 * The principals of the policy tests that this browser has not stored yet, and a function that stores one. They are
 * fetched when they are to be shown.
 */
export function useTestPrincipals(isWanted: boolean): {
  readonly offered: readonly TestPrincipal[];
  /** Returns the name under which it is stored. */
  readonly adopt: (principal: TestPrincipal) => string;
} {
  const { principals, setPrincipals } = usePrincipal();
  // Where there are no policies, or they are not shown, nothing is offered.
  const { data } = useQuery({ ...policyQuery, enabled: isWanted });
  const offered = useMemo(() => {
    const stored = new Set(principals.map(({ claims }) => JSON.stringify(claims)));
    return (data?.principals ?? [])
      .map(({ name, suite, principal }) => ({ name, suite, claims: principal }))
      .filter(({ claims }) => !stored.has(JSON.stringify(claims)));
  }, [data, principals]);
  return {
    offered,
    adopt({ name, suite, claims }) {
      const taken = new Set(principals.map((one) => one.name));
      const free = !taken.has(name) ? name : freeName(`${name} (${suite})`, taken);
      setPrincipals([...principals, { name: free, claims }]);
      return free;
    },
  };
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} ${count}`;
  return free;
}
