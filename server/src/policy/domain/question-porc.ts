import { isObject } from '../../model/json-object.ts';
import type { PolicyPort, PolicyQuestion } from '../port.ts';
import type { Decision } from './decision.ts';
import type { DomainPolicy } from './domain-policy.ts';

/** Told of every decision, as for a log. */
export type OnDecision = (question: PolicyQuestion, decision: Decision) => void;

/** Policy domains behind the port that services ask. */
export function createDomainPolicyPort(
  policy: Pick<DomainPolicy, 'decide'>,
  onDecision: OnDecision = () => undefined,
): PolicyPort {
  return {
    isPermitted: async (question) => {
      const decision = await policy.decide(porcOf(question));
      onDecision(question, decision);
      return decision.isAllowed;
    },
  };
}

/**
 * A service's question as a PORC. Of what the operation is given, policies are told the metadata and the agent alone: never
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
