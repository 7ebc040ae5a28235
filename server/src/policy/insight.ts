import type { Decision } from './domain/decision.ts';
import type { TestPrincipal } from './domain/test-principals.ts';
import type { PolicyFinding } from './findings.ts';
import type {
  DecisionFilter,
  DecisionMemory,
  DecisionPage,
  FollowedDecision,
} from './log/decision-memory.ts';

/** Which policies decide. */
export interface PolicyDescription {
  /** `authz.type` */
  type: 'embedded' | 'allowall';
  /** There are no policies, so everything is permitted. */
  isPermissive: boolean;
  loadedAt: Date;
  domains: readonly { name: string; file: string; policies: number }[];
  /** What is wrong with the files as they are now, so that those of `loadedAt` stay in use. */
  findings: readonly PolicyFinding[];
}

/** The policies of this service, whichever are loaded at the moment. */
export interface PoliciesInUse {
  describe(): PolicyDescription;
  /** Decides about a PORC. Never rejects. */
  decide(porc: unknown): Promise<Decision>;
}

/** Policies as people look at them: which there are, what they decided, what they would decide. */
export interface PolicyInsight {
  describe(): PolicyDescription;
  /** The principals of the policy tests beside the policy files. */
  testPrincipals(): Promise<readonly TestPrincipal[]>;
  /** What the policies say to a PORC; no decision that is logged. Never rejects. */
  explain(porc: unknown): Promise<Decision>;
  /** The latest decisions. */
  recent(filter: DecisionFilter, page: { limit: number; before?: number }): DecisionPage;
  /** Decisions as they come. */
  follow(
    filter: DecisionFilter,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncIterable<FollowedDecision>;
}

/** Makes it of the policies and what is remembered of their decisions. */
export function createPolicyInsight(
  policies: PoliciesInUse,
  memory: DecisionMemory,
): PolicyInsight {
  return {
    describe: () => policies.describe(),
    async testPrincipals() {
      // What reads YAML is not loaded before somebody asks.
      const { readTestPrincipals } = await import('./domain/test-principals.ts');
      return readTestPrincipals(policies.describe().domains.map(({ file }) => file));
    },
    explain: (porc) => policies.decide(porc),
    recent: (...asked) => memory.recent(...asked),
    follow: (...asked) => memory.follow(...asked),
  };
}

/** Where there are no policies: everything is permitted, and nothing is decided. */
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
