import type { InputText } from './batch-text.ts';
import type { RegoOutcome } from './port.ts';

/** A question and the function that takes its outcomes. */
export interface PendingQuestion {
  input: InputText;
  /** Size of the input. */
  bytes: number;
  policies: readonly string[];
  /** Its slice was not enough, so it is asked again alone. */
  isAlone?: boolean;
  begun: number;
  timer?: NodeJS.Timeout;
  resolve(outcomes: RegoOutcome[]): void;
}

/** Questions that wait for a thread, in order, each for a limited time. */
export class QuestionQueue {
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #onTired: (question: PendingQuestion) => void;
  #waiting: PendingQuestion[] = [];

  constructor(options: {
    limit: number;
    waitMs: number;
    onTired: (question: PendingQuestion) => void;
  }) {
    this.#limit = options.limit;
    this.#waitMs = options.waitMs;
    this.#onTired = options.onTired;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Returns false when the queue is full. */
  add(question: PendingQuestion): boolean {
    if (this.#waiting.length >= this.#limit) return false;
    this.#wait(question);
    this.#waiting.push(question);
    return true;
  }

  /** Undecided questions of a batch return to the front, even when the queue is full. */
  putBack(questions: readonly PendingQuestion[]): void {
    for (const question of questions) this.#wait(question);
    this.#waiting.unshift(...questions);
  }

  /** Takes the first question that may be asked now. */
  take(mayBeAsked: (question: PendingQuestion) => boolean): PendingQuestion | undefined {
    return this.#takeAt(this.#waiting.findIndex(mayBeAsked));
  }

  /** Takes the last question that may be dropped. */
  takeLast(givesWay: (question: PendingQuestion) => boolean): PendingQuestion | undefined {
    return this.#takeAt(this.#waiting.findLastIndex(givesWay));
  }

  #wait(question: PendingQuestion): void {
    question.timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== question);
      this.#onTired(question);
    }, this.#waitMs);
  }

  #takeAt(at: number): PendingQuestion | undefined {
    const [question] = at < 0 ? [] : this.#waiting.splice(at, 1);
    clearTimeout(question?.timer);
    return question;
  }
}
