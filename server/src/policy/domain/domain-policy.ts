/*
 * `domain-policy.ts` decides: it completes the question (`principal-grants.ts`, `resource-group.ts`), evaluates the
 * policies of all phases in one call of `policy/rego/port.ts`, because a call costs more than a policy, and then
 * combines their outcomes (`phase-results.ts`). It throws nothing to the outside, and grants only on an explicit grant.
 * A `Decision` contains what explanations, access records and refusals need.
 *
 * `policy/insight.ts` gives `threads/policy-service.ts` access to the policies in use, in any version;
 * `asked-permissions.ts` is the table of the questions of requests, used to list a principal's permissions.
 */
import type { Json, JsonMembers } from '../../model/json.ts';
import type { RegoEvaluator, RegoOutcome } from '../rego/port.ts';
import type { Decision, PhaseResult, Reason } from './decision.ts';
import type { DomainSet, Policy } from './domain-set.ts';
import { operationPolicies, type OperationReading } from './operation-policy.ts';
import {
  identityPhase,
  operationPhase,
  type OutcomeOf,
  resourcePhase,
  scopePhase,
} from './phase-results.ts';
import { isTooLarge, readPorc } from './porc.ts';
import { completedPrincipal, grantsOf } from './principal-grants.ts';
import { completedResource } from './resource-group.ts';

type Undecided = Omit<Decision, 'microseconds'>;

/**
 * Decides by policy domains: operation, identity, resource, scope. Everything but an explicit grant is a denial: a
 * missing or undefined value, a wrong type, an error, or a match in two domains at once.
 */
export class DomainPolicy {
  readonly #set: DomainSet;
  readonly #evaluator: RegoEvaluator;
  readonly #operationPolicy: (operation: string) => OperationReading;

  constructor(set: DomainSet, evaluator: RegoEvaluator) {
    this.#set = set;
    this.#evaluator = evaluator;
    this.#operationPolicy = operationPolicies(set);
  }

  /** Decides about a PORC in the documented format. Never rejects: an error is a denial. */
  async decide(porc: unknown): Promise<Decision> {
    const began = performance.now();
    const decided = await this.#decide(porc).catch((error: unknown): Undecided => {
      const reason = `The decision failed: ${error instanceof Error ? error.message : String(error)}.`;
      return denial('input', { code: 'evaluation_failed', reason });
    });
    return { ...decided, microseconds: Math.round((performance.now() - began) * 1_000) };
  }

  async #decide(given: unknown): Promise<Undecided> {
    const read = readPorc(given);
    if ('problem' in read) return invalid(read.problem);
    const { porc } = read;
    const operation = this.#operationPolicy(porc.operation);
    if ('missing' in operation) return denial('operation', operation.missing);
    const found = completedResource(this.#set, porc.resource, operation.domain);
    if ('missing' in found) return denial('resource', found.missing);
    const { group, resource } = found;
    const grants = grantsOf(this.#set, porc.principal);
    const principal = completedPrincipal(this.#set, porc.principal, grants);
    const input = { ...porc, principal, resource };
    if (isTooLarge(input)) return invalid('The input of the policies is too large.');
    const held = [grants.roles, grants.scopes].map((all) =>
      all.flatMap(({ grant }) => grant ?? []),
    );
    const [roles = [], scopes = []] = held;
    const asked = [operation.policy, ...[...roles, group, ...scopes].map(({ policy }) => policy)];
    const outcomeOf = await this.#ask(input, asked);
    return combined(input, [
      operationPhase(porc.operation, operation.policy, outcomeOf),
      identityPhase(grants.roles, outcomeOf),
      resourcePhase(group, outcomeOf),
      scopePhase(grants.scopes, outcomeOf),
    ]);
  }

  /** Evaluates all policies of all phases in one call, each once. */
  async #ask(input: Json, policies: readonly Policy[]): Promise<OutcomeOf> {
    const keys = [...new Set(policies.map(({ key }) => key))];
    const byPolicy = new Map<string, RegoOutcome>();
    try {
      const outcomes = await this.#evaluator.evaluate({ input, policies: keys });
      // Two outcomes for one policy cannot be trusted, so they count as an error.
      for (const outcome of outcomes) {
        const isRepeated = byPolicy.has(outcome.policy);
        byPolicy.set(outcome.policy, isRepeated ? { ...outcome, error: 'it came twice' } : outcome);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      for (const key of keys) byPolicy.set(key, { policy: key, error: reason, microseconds: 0 });
    }
    return ({ key }) => byPolicy.get(key);
  }
}

function combined(input: JsonMembers, phases: readonly [PhaseResult, ...PhaseResult[]]): Undecided {
  const [operation] = phases;
  const base = { phases, input };
  if (operation.code === 'operation_permitted') {
    const { code, reason } = operation;
    return { ...base, isAllowed: true, phase: 'operation', code, reason };
  }
  const denying = phases.find(({ isGranted }) => !isGranted);
  if (denying) {
    const { phase, code, reason } = denying;
    return { ...base, isAllowed: false, phase, code, reason };
  }
  const reason = 'Every phase grants.';
  return { ...base, isAllowed: true, phase: 'scope', code: 'permitted', reason };
}

function denial(phase: Decision['phase'], { code, reason }: Reason): Undecided {
  return { isAllowed: false, phase, code, reason, phases: [] };
}

function invalid(reason: string): Undecided {
  return denial('input', { code: 'input_invalid', reason });
}
