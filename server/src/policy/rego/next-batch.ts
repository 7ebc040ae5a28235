import { POLICY_INPUT_BYTES } from '../../model/limits/policy-limits.ts';
import { REGO_BATCH } from '../../model/limits/rego-limits.ts';
import type { Pace, PolicyPace } from './policy-pace.ts';
import type { PendingQuestion, QuestionQueue } from './question-queue.ts';

/** Questions of one pace, which one thread is asked at once. */
export interface Batch {
  pace: Pace;
  questions: readonly PendingQuestion[];
}

export function paceOf({ isAlone = false, policies }: PendingQuestion, pace: PolicyPace): Pace {
  return isAlone ? 'slow' : pace.of(policies);
}

/** Chooses what threads are asked, so that no policy keeps the questions about others waiting. */
export class BatchChoice {
  readonly #queue: QuestionQueue;
  readonly #pace: PolicyPace;
  #isKnownFirst = false;

  constructor(queue: QuestionQueue, pace: PolicyPace) {
    this.#queue = queue;
    this.#pace = pace;
  }

  /**
   * What an idle thread is asked, given what all of them are asked; nothing if no question that waits may be. Slow
   * questions never get the last thread, unless there may be one only. New ones have one thread at a time, whichever it is,
   * since a slice ends each of them, and known ones have their turn between them.
   */
  next(asked: readonly (Batch | undefined)[], workers: number): Batch | undefined {
    const isAllowed: Record<Pace, boolean> = {
      known: true,
      new: !asked.some((batch) => batch?.pace === 'new'),
      slow: workers === 1 || asked.filter((batch) => batch?.pace !== 'slow').length > 1,
    };
    const known = this.#isKnownFirst ? this.#take((pace) => pace === 'known') : undefined;
    const first = known ?? this.#take((pace) => isAllowed[pace]);
    if (!first) return undefined;
    const pace = paceOf(first, this.#pace);
    this.#isKnownFirst = pace === 'new';
    return {
      pace,
      questions: pace === 'slow' ? [first] : [first, ...this.#more(pace, first.bytes)],
    };
  }

  /** Others of the same pace, as many as fit into one message. */
  *#more(pace: Pace, firstBytes: number): Iterable<PendingQuestion> {
    let bytes = firstBytes;
    for (let count = 1; count < REGO_BATCH; count++) {
      const next = this.#take(
        (other, question) => other === pace && bytes + question.bytes <= POLICY_INPUT_BYTES,
      );
      if (!next) return;
      bytes += next.bytes;
      yield next;
    }
  }

  #take(fits: (pace: Pace, question: PendingQuestion) => boolean): PendingQuestion | undefined {
    return this.#queue.take((question) => fits(paceOf(question, this.#pace), question));
  }
}
