import type { Reason } from './decision.ts';
import type { DomainSet, Policy } from './domain-set.ts';

/** The policy of an operation and the only domain that has it, or why there is none. */
export type OperationReading = { policy: Policy; domain: string } | { missing: Reason };

/** Operations are few and repeat, so at most this many lookups are cached. */
const KEPT_OPERATIONS = 1_000;

/** Looks operations up: the first matching entry of the only domain with a match. */
export function operationPolicies(set: DomainSet): (operation: string) => OperationReading {
  const kept = new Map<string, OperationReading>();
  return (operation) => {
    const known = kept.get(operation);
    if (known) return known;
    const found = find(set, operation);
    if (kept.size >= KEPT_OPERATIONS) kept.clear();
    kept.set(operation, found);
    return found;
  };
}

function find({ domains }: DomainSet, operation: string): OperationReading {
  const matching = domains.flatMap(({ name, operations }) => {
    const rule = operations.find(({ selectors }) =>
      selectors.some((one) => one.matches(operation)),
    );
    return rule ? [{ domain: name, policy: rule.policy }] : [];
  });
  const [first, ...more] = matching;
  if (!first) {
    const reason = `No domain has an entry that matches the operation ${operation}.`;
    return { missing: { code: 'operation_unknown', reason } };
  }
  if (more.length === 0) return first;
  const names = matching.map(({ domain }) => domain).join(', ');
  const reason = `More than one domain has an entry that matches the operation ${operation}: ${names}.`;
  return { missing: { code: 'operation_ambiguous', reason } };
}
