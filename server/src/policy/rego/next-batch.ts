import { POLICY_INPUT_BYTES } from '../../model/limits/policy-limits.ts';
import { REGO_BATCH } from '../../model/limits/rego-limits.ts';
import type { Pace, PolicyPace } from './policy-pace.ts';
import type { PendingQuestion, QuestionQueue } from './question-queue.ts';

/** Questions of one pace, which are sent to a thread together. */
export interface Batch {
  pace: Pace;
  questions: readonly PendingQuestion[];
}

export function paceOf({ isAlone = false, policies }: PendingQuestion, pace: PolicyPace): Pace {
  return isAlone ? 'slow' : pace.of(policies);
}

/** Chooses the batches of threads, so that no policy delays the questions about others. */
export class BatchChoice {
  readonly #queue: QuestionQueue;
  readonly #pace: PolicyPace;
  #isKnownFirst = false;

  constructor(queue: QuestionQueue, pace: PolicyPace) {
    this.#queue = queue;
    this.#pace = pace;
  }

  /**
   * The next batch of an idle thread, given the batches of all threads; undefined if no waiting question may be asked.
   * Slow questions never get the last thread, unless only one is allowed. New ones use one thread at a time, any of
   * them, since a slice ends each of them, and known ones alternate with them.
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

  /** More questions of the same pace, as many as fit into one message. */
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
