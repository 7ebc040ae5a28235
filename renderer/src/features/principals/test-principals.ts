import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { policyQuery } from '../../api/queries/policy.ts';
import { usePrincipal, type NamedPrincipal } from '../../state/principal.ts';

/** A principal that the tests of the policies ask about. */
export interface TestPrincipal extends NamedPrincipal {
  /** The name of the tests. */
  readonly suite: string;
}

/**
 * The principals of the policy tests that this browser does not keep yet, and how it comes to keep one. They are asked
 * for when somebody wants to see them.
 */
export function useTestPrincipals(isWanted: boolean): {
  readonly offered: readonly TestPrincipal[];
  /** Answers the name under which it is kept. */
  readonly adopt: (principal: TestPrincipal) => string;
} {
  const { principals, setPrincipals } = usePrincipal();
  // Where there are no policies, or they are not shown, nothing is offered.
  const { data } = useQuery({ ...policyQuery, enabled: isWanted });
  const offered = useMemo(() => {
    const kept = new Set(principals.map(({ claims }) => JSON.stringify(claims)));
    return (data?.principals ?? [])
      .map(({ name, suite, principal }) => ({ name, suite, claims: principal }))
      .filter(({ claims }) => !kept.has(JSON.stringify(claims)));
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
