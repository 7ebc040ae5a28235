import type {
  AccessRecordWire,
  PermissionsWire,
  PolicyDecisionWire,
  PolicyDescriptionWire,
} from '../../contract/policy.ts';
import type { Decision, PhaseResult, PolicyReference } from '../../policy/domain/decision.ts';
import type { TestPrincipal } from '../../policy/domain/test-principals.ts';
import type { PolicyDescription } from '../../policy/insight.ts';
import { accessMembers, type AccessRecord } from '../../policy/log/access-record.ts';
import type { ExplainedPermission } from '../../threads/policy-service.ts';

/** The active policies on the wire. */
export function presentPolicies(
  policies: PolicyDescription & { principals: readonly TestPrincipal[] },
): PolicyDescriptionWire {
  const { type, isPermissive, loadedAt, domains, findings, principals } = policies;
  return {
    type,
    is_permissive: isPermissive,
    loaded_at: loadedAt.toISOString(),
    domains: domains.map(({ name, file, policies: count }) => ({ name, file, policies: count })),
    ...(findings.length > 0 && {
      findings: findings.map(({ file, line, column, message }) => {
        return { file, line, column, message };
      }),
    }),
    principals: principals.map(({ name, suite, principal }) => ({ name, suite, principal })),
  };
}

/** A logged decision on the wire, with its phases. */
export function presentRecord(record: AccessRecord): AccessRecordWire {
  return { ...accessMembers(record), phases: record.phases.map(presentPhase) };
}

/** An explained decision on the wire. */
export function presentDecision(decision: Decision): PolicyDecisionWire {
  const { isAllowed, phase, code, reason, phases, input, microseconds } = decision;
  return {
    is_allowed: isAllowed,
    phase,
    code,
    reason,
    phases: phases.map(presentPhase),
    ...(input && { input }),
    microseconds,
  };
}

/** A principal's permissions on the wire. */
export function presentPermissions(permissions: readonly ExplainedPermission[]): PermissionsWire {
  const items = permissions.map(({ operation, resource, decision, question }) => {
    const { isAllowed, phase, code, reason } = decision;
    const policy = decidingPolicy(decision);
    return {
      ...{ operation, resource, is_allowed: isAllowed, phase, code, reason },
      ...(policy && { policy }),
      question,
    };
  });
  return { items };
}

function presentPhase({ phase, isGranted, code, reason, outcomes }: PhaseResult) {
  return {
    phase,
    is_granted: isGranted,
    code,
    reason,
    outcomes: outcomes.map((one) => {
      const { outcome, via, policy, microseconds } = one;
      return {
        ...{ outcome, via, code: one.code, reason: one.reason },
        ...(policy && { policy }),
        microseconds,
      };
    }),
  };
}

/** The policy of the phase that decided. A permission that all phases granted has no single policy. */
function decidingPolicy({ isAllowed, phase, phases }: Decision): PolicyReference | undefined {
  if (isAllowed && phase !== 'operation') return undefined;
  const asked = phases.find((one) => one.phase === phase)?.outcomes ?? [];
  return asked.length === 1 ? asked[0]?.policy : undefined;
}
