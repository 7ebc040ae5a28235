import type { Attempt } from './ports.ts';

/** More are not repeated at the same time: a workflow task is, within seconds. */
const REMEMBERED = 1_000;

type AttemptKey = Pick<Attempt, 'threadId' | 'runUuid' | 'attempt'>;

/** The attempts whose invocation began within a workflow task here, and was given up. The oldest are forgotten. */
export class GivenUpAttempts {
  readonly #keys = new Set<string>();

  add(attempt: AttemptKey): void {
    this.#keys.add(keyOf(attempt));
    for (const oldest of this.#keys) {
      if (this.#keys.size <= REMEMBERED) return;
      this.#keys.delete(oldest);
    }
  }

  has(attempt: AttemptKey): boolean {
    return this.#keys.has(keyOf(attempt));
  }
}

function keyOf({ threadId, runUuid, attempt }: AttemptKey): string {
  return `${threadId}:${runUuid}:${attempt}`;
}
