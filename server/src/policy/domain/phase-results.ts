import type { RegoOutcome } from '../rego/port.ts';
import type { PhaseResult, PolicyOutcome, PolicyReference, Reason } from './decision.ts';
import type { Grant, Policy } from './domain-set.ts';
import type { Held } from './principal-grants.ts';

/** The evaluator's outcome for a policy; undefined when there is none. */
export type OutcomeOf = (policy: Policy) => RegoOutcome | undefined;

/** The scope that always grants, whatever the policies. */
export const API_SCOPE = 'mrn:iam:scope:api';

/**
 * The policy's value is an integer: below 0 denies, above 0 grants and is final, 0 passes to the other phases. Anything
 * else, a boolean too, denies.
 */
export function operationPhase(
  operation: string,
  policy: Policy,
  outcomeOf: OutcomeOf,
): PhaseResult {
  const outcome = outcomeWith(policy, operation, outcomeOf, (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
    return value < 0 ? 'denies' : value > 0 ? 'grants' : 'passes';
  });
  const codes = {
    grants: 'operation_permitted',
    denies: 'operation_denied',
    passes: 'operation_passed',
  } as const;
  const code = codes[outcome.outcome];
  return {
    phase: 'operation',
    isGranted: outcome.outcome !== 'denies',
    code,
    reason: outcome.reason,
    outcomes: [outcome],
  };
}

/** Any role grants; having no role denies. */
export function identityPhase(roles: readonly Held[], outcomeOf: OutcomeOf): PhaseResult {
  if (roles.length === 0) {
    const reason = 'The principal has no role.';
    return { phase: 'identity', isGranted: false, code: 'identity_missing', reason, outcomes: [] };
  }
  const outcomes = roles.map((role) => heldOutcome('role', role, outcomeOf));
  const granting = outcomes.find(({ outcome }) => outcome === 'grants');
  return granting
    ? { phase: 'identity', isGranted: true, ...permitted('identity_permitted', granting), outcomes }
    : { phase: 'identity', isGranted: false, ...denied('identity_denied', outcomes), outcomes };
}

/** The policy of the resource's group decides. */
export function resourcePhase(group: Grant, outcomeOf: OutcomeOf): PhaseResult {
  const outcome = outcomeWith(group.policy, group.mrn, outcomeOf, ofBoolean);
  const isGranted = outcome.outcome === 'grants';
  const code = isGranted ? 'resource_permitted' : 'resource_denied';
  return { phase: 'resource', isGranted, code, reason: outcome.reason, outcomes: [outcome] };
}

/** Any scope grants; a principal without scopes is not restricted by any; the API's own scope always grants. */
export function scopePhase(scopes: readonly Held[], outcomeOf: OutcomeOf): PhaseResult {
  if (scopes.length === 0) {
    const reason = 'The principal has no scope, so none holds it back.';
    return { phase: 'scope', isGranted: true, code: 'scope_missing', reason, outcomes: [] };
  }
  const outcomes = scopes.map((scope): PolicyOutcome => {
    if (scope.mrn !== API_SCOPE) return heldOutcome('scope', scope, outcomeOf);
    const reason = `The scope ${API_SCOPE} always grants.`;
    return { outcome: 'grants', via: API_SCOPE, code: 'scope_builtin', reason, microseconds: 0 };
  });
  const granting = outcomes.find(({ outcome }) => outcome === 'grants');
  return granting
    ? { phase: 'scope', isGranted: true, ...permitted('scope_permitted', granting), outcomes }
    : { phase: 'scope', isGranted: false, ...denied('scope_denied', outcomes), outcomes };
}

function permitted(code: Reason['code'], { reason }: PolicyOutcome): Reason {
  return { code, reason };
}

function denied(code: Reason['code'], outcomes: readonly PolicyOutcome[]): Reason {
  return { code, reason: outcomes.map(({ reason }) => reason).join(' ') };
}

function heldOutcome(kind: string, { mrn, grant }: Held, outcomeOf: OutcomeOf): PolicyOutcome {
  if (grant) return outcomeWith(grant.policy, mrn, outcomeOf, ofBoolean);
  const reason = `No domain has the ${kind} ${mrn}.`;
  return { outcome: 'denies', via: mrn, code: 'policy_missing', reason, microseconds: 0 };
}

type Meaning = PolicyOutcome['outcome'] | undefined;

function ofBoolean(value: unknown): Meaning {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'grants' : 'denies';
}

function outcomeWith(
  policy: Policy,
  via: string,
  outcomeOf: OutcomeOf,
  meaningOf: (value: unknown) => Meaning,
): PolicyOutcome {
  const outcome = outcomeOf(policy);
  const base = { via, policy: referenceTo(policy), microseconds: outcome?.microseconds ?? 0 };
  const deny = (code: Reason['code'], what: string): PolicyOutcome => {
    return { ...base, outcome: 'denies', code, reason: `${policy.mrn} ${what}.` };
  };
  if (!outcome) return deny('policy_error', 'was not evaluated');
  if (outcome.error !== undefined) return deny('policy_error', `failed: ${outcome.error}`);
  if (outcome.value === undefined)
    return deny('policy_undefined', 'leaves data.authz.allow undefined');
  const shown = JSON.stringify(outcome.value).slice(0, 100);
  const meaning = meaningOf(outcome.value);
  if (!meaning)
    return deny('policy_wrong_type', `returned ${shown}, which has no meaning in this phase`);
  const reason = `${policy.mrn} ${meaning} (${shown}).`;
  return { ...base, outcome: meaning, code: `policy_${meaning}`, reason };
}

function referenceTo({ mrn, name, domain, rego, fingerprint }: Policy): PolicyReference {
  const { file, line } = rego;
  return { mrn, ...(name !== undefined && { name }), domain, file, line, fingerprint };
}
