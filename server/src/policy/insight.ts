import type { Decision } from './domain/decision.ts';
import type { TestPrincipal } from './domain/test-principals.ts';
import type { PolicyFinding } from './findings.ts';
import type {
  DecisionFilter,
  DecisionMemory,
  DecisionPage,
  FollowedDecision,
} from './log/decision-memory.ts';

/** The active policies. */
export interface PolicyDescription {
  /** `authz.type` */
  type: 'embedded' | 'allowall';
  /** There are no policies, so everything is permitted. */
  isPermissive: boolean;
  loadedAt: Date;
  domains: readonly { name: string; file: string; policies: number }[];
  /** Errors in the current files, because of which those of `loadedAt` stay in use. */
  findings: readonly PolicyFinding[];
}

/** The currently loaded policies of this service. */
export interface PoliciesInUse {
  describe(): PolicyDescription;
  /** Decides about a PORC. Never rejects. */
  decide(porc: unknown): Promise<Decision>;
}

/** Inspection of policies: which are active, what they decided, what they would decide. */
export interface PolicyInsight {
  describe(): PolicyDescription;
  /** The principals in the policy tests next to the policy files. */
  testPrincipals(): Promise<readonly TestPrincipal[]>;
  /** The policies' decision about a PORC, which is not logged. Never rejects. */
  explain(porc: unknown): Promise<Decision>;
  /** The latest decisions. */
  recent(filter: DecisionFilter, page: { limit: number; before?: number }): DecisionPage;
  /** Decisions as they are made. */
  follow(
    filter: DecisionFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncIterable<FollowedDecision>;
}

/** Makes the inspection from the policies and the memory of their decisions. */
export function createPolicyInsight(
  policies: PoliciesInUse,
  memory: DecisionMemory,
): PolicyInsight {
  return {
    describe: () => policies.describe(),
    async testPrincipals() {
      // Loaded on demand, because it needs the YAML reader.
      const { readTestPrincipals } = await import('./domain/test-principals.ts');
      return readTestPrincipals(policies.describe().domains.map(({ file }) => file));
    },
    explain: (porc) => policies.decide(porc),
    recent: (...asked) => memory.recent(...asked),
    follow: (...asked) => memory.follow(...asked),
  };
}

/** Used when there are no policies: everything is permitted, and no decisions are made. */
export function noPolicies(
  type: PolicyDescription['type'] = 'embedded',
  loadedAt = new Date(),
): PoliciesInUse {
  const decision: Decision = {
    isAllowed: true,
    phase: 'scope',
    code: 'no_policies',
    reason: 'There are no policies, so none denies anything.',
    phases: [],
    microseconds: 0,
  };
  return {
    describe: () => ({ type, isPermissive: true, loadedAt, domains: [], findings: [] }),
    decide: () => Promise.resolve(decision),
  };
}
