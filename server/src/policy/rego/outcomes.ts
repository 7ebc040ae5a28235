import type { Json } from '../../model/json.ts';
import type { RegoOutcome } from './port.ts';
import type { WorkerOutcome } from './worker-protocol.ts';

/** The outcomes of a question, in the order of its policies: all of them, or those known when its time was over. */
export function outcomesOf(
  policies: readonly string[],
  outcomes: readonly WorkerOutcome[],
): RegoOutcome[] {
  return outcomes.map(({ value, error, microseconds }, index) => {
    const policy = policies[index] ?? '';
    if (error !== null) return { policy, error, microseconds };
    if (value === null) return { policy, microseconds };
    return { policy, value: JSON.parse(value) as Json, microseconds }; // the evaluator sends JSON
  });
}

/** Completes the outcomes: the policy that was running when the time was over failed, and so did those after it. */
export function completed(
  policies: readonly string[],
  outcomes: readonly RegoOutcome[],
  why: string,
): RegoOutcome[] {
  const rest = policies.slice(outcomes.length).map((policy, index) => ({
    policy,
    error: index === 0 ? why : `not evaluated: ${policies[outcomes.length]} failed`,
    microseconds: 0,
  }));
  return [...outcomes, ...rest];
}
