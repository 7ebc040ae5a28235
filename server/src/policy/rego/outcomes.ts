import type { Json } from '../../model/json.ts';
import type { RegoOutcome } from './port.ts';
import type { ThreadAnswer } from './worker-thread.ts';

/** JSON; undefined: some thousand values within values, for which the stack is too small. */
export function textOf(input: Json): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

/** Every policy has an outcome: the one that was evaluated when the thread ended failed, and those behind it too. */
export function completed(
  policies: readonly string[],
  { outcomes, end }: ThreadAnswer,
): RegoOutcome[] {
  const rest = policies.slice(outcomes.length).map((policy, index) => ({
    policy,
    error:
      index === 0 ? (end?.message ?? '') : `not evaluated: ${policies[outcomes.length]} failed`,
    microseconds: 0,
  }));
  return [...outcomes, ...rest];
}
