import { isObject } from '../../model/json.ts';
import { askingContext } from '../asking-request.ts';
import type { PolicyPort, PolicyQuestion, Ruling } from '../port.ts';
import type { Decision } from './decision.ts';
import type { DomainPolicy } from './domain-policy.ts';

/** Receives every decision, for example for a log. If it throws, the decision is a denial. */
export type OnDecision = (question: PolicyQuestion, decision: Decision) => void;

/** Policy domains as the PolicyPort that services use. */
export function createDomainPolicyPort(
  policy: Pick<DomainPolicy, 'decide'>,
  options: {
    onDecision?: OnDecision;
    /** Denials name the phase and the policy: only for test mode, because callers see them. */
    isExplaining?: boolean;
  } = {},
): PolicyPort {
  const { onDecision, isExplaining = false } = options;

  async function decide(question: PolicyQuestion): Promise<Decision> {
    const context = { ...askingContext(), ...question.context };
    const asked = { ...question, context };
    const decision = await policy.decide(porcOf(asked));
    onDecision?.(asked, decision);
    return decision;
  }

  return {
    looksAtOwners: true,
    isPermitted: async (question) => (await decide(question)).isAllowed,
    ...(isExplaining && { rule: async (question) => rulingOf(await decide(question)) }),
  };
}

/** The details of a denial: the phase that denies, the reason, and its first policy that denies. */
export function rulingOf({ isAllowed, phase, code, reason, phases }: Decision): Ruling {
  if (isAllowed) return { isPermitted: true };
  const denying = phases.find((one) => one.phase === phase)?.outcomes ?? [];
  const denied = denying.find(({ outcome, policy }) => outcome === 'denies' && policy)?.policy;
  const { fingerprint: _, ...policy } = denied ?? { fingerprint: '' };
  const why = { phase, reason_code: code, reason };
  return { isPermitted: false, why: { ...why, ...(denied && { policy }) } };
}

/**
 * A service's question as a PORC. Of the operation's parameters, policies see only the metadata and the agent: never
 * the input of a run, a state or a stored value.
 */
export function porcOf({ principal, operation, resource, given, context }: PolicyQuestion) {
  const { mrn: id, owner } = resource;
  const { metadata, assistant_id: agent } = given ?? {};
  return {
    principal: { ...principal.claims, sub: principal.sub, mroles: principal.mroles },
    operation,
    resource: { id, ...(owner !== undefined && { owner }) },
    context: {
      ...(isObject(metadata) && { metadata }),
      ...(typeof agent === 'string' && { agent }),
      ...context,
    },
  };
}
