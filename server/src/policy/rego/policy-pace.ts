import { REGO_QUICK_POLICIES, REGO_SUSPECT_MS } from '../../model/limits/rego-limits.ts';

/**
 * How a question is asked. `known`: all its policies have been quick before. `new`: one of them has not run yet.
 * `slow`: one of them took too long for its slice, or there are too many.
 */
export type Pace = 'known' | 'new' | 'slow';

/** Records how long policies take. It has at most one entry per policy. */
export class PolicyPace {
  readonly #quick = new Set<string>();
  /** Policies that took longer than a slice, and the time until which they are suspects. */
  readonly #suspects = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  of(policies: readonly string[]): Pace {
    if (policies.length > REGO_QUICK_POLICIES) return 'slow';
    if (policies.some((policy) => this.#isSuspect(policy))) return 'slow';
    return policies.every((policy) => this.#quick.has(policy)) ? 'known' : 'new';
  }

  /**
   * All of them finished within one slice. A suspect stays one: it may be quick with one question and not with the
   * next.
   */
  wereQuick(policies: readonly string[]): void {
    for (const policy of policies) if (!this.#isSuspect(policy)) this.#quick.add(policy);
  }

  /** Makes the policy a suspect for a while, and new after that. */
  wasSlow(policy: string): void {
    this.#quick.delete(policy);
    this.#suspects.set(policy, this.#now() + REGO_SUSPECT_MS);
  }

  #isSuspect(policy: string): boolean {
    const until = this.#suspects.get(policy);
    return until !== undefined && until > this.#now();
  }
}
