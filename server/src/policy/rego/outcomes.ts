import type { Json } from '../../model/json.ts';
import type { RegoOutcome } from './port.ts';
import type { WorkerOutcome } from './worker-protocol.ts';

/** What was said to a question, in the order of its policies: all of it, or what was known when its time was over. */
export function outcomesOf(
  policies: readonly string[],
  said: readonly WorkerOutcome[],
): RegoOutcome[] {
  return said.map(({ value, error, microseconds }, index) => {
    const policy = policies[index] ?? '';
    if (error !== null) return { policy, error, microseconds };
    if (value === null) return { policy, microseconds };
    return { policy, value: JSON.parse(value) as Json, microseconds }; // what else is there in JSON
  });
}

/** Every policy has an outcome: the one that was evaluated when the time was over failed, and those behind it too. */
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
