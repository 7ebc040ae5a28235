import { REGO_SUSPECT_MS } from '../../model/rego-limits.ts';
import { completed, textOf } from './outcomes.ts';
import { usualLimits, type PoolLimits, type PoolOptions } from './pool-options.ts';
import type { RegoEvaluator, RegoOutcome, RegoQuestion } from './port.ts';
import { QuestionQueue, type PendingQuestion } from './question-queue.ts';
import type { RegoThread, ThreadAnswer } from './worker-thread.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** A few threads behind one queue. A question that ends its thread fails alone: those that wait are asked elsewhere. */
export class RegoPool implements RegoEvaluator {
  readonly #options: PoolOptions;
  readonly #limits: Required<PoolLimits>;
  readonly #queue: QuestionQueue;
  /** Threads that can be asked, and what they are asked. */
  readonly #threads = new Map<RegoThread, PendingQuestion | undefined>();
  /** Policies that ended a thread, and until when they are suspects. */
  readonly #suspects = new Map<string, number>();
  readonly #starts = new Set<Promise<void>>();
  #crashes = 0;
  #growth: NodeJS.Timeout | undefined;
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    const { queue, waitMs } = this.#limits;
    this.#queue = new QuestionQueue({
      limit: queue,
      waitMs,
      onTired: (question) =>
        this.#refuse(question, 'wait', `no evaluator was free for ${waitMs} ms`),
    });
    this.#add(options.first);
  }

  evaluate({ input, policies }: RegoQuestion): Promise<readonly RegoOutcome[]> {
    return new Promise((resolve) => {
      const text = textOf(input);
      const question = { input: text ?? '', policies, begun: performance.now(), resolve };
      const { inputBytes, queue } = this.#limits;
      if (this.#isClosed) return this.#refuse(question, 'closed', 'the evaluator is closed');
      if (text === undefined) {
        return this.#refuse(question, 'input', 'the input is nested too deeply');
      }
      if (Buffer.byteLength(text) > inputBytes) {
        return this.#refuse(question, 'input', `the input is larger than ${inputBytes} bytes`);
      }
      const refused = this.#queue.add(question) ? undefined : this.#crowdedOut(question);
      if (refused) this.#refuse(refused, 'queue', `${queue} questions are waiting already`);
      this.#hand();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#growth);
    for (const pause of this.#pauses) clearTimeout(pause);
    for (let next = this.#queue.take(() => true); next; next = this.#queue.take(() => true)) {
      this.#refuse(next, 'closed', 'the evaluator is closed');
    }
    await Promise.all([...this.#threads.keys()].map((thread) => thread.close()));
    await Promise.all(this.#starts);
  }

  /** Gives waiting questions to idle threads; starts another thread for those that go on waiting. */
  #hand(): void {
    for (const [thread, asked] of this.#threads) {
      if (asked) continue;
      const question = this.#queue.take((one) => this.#mayBeAsked(one));
      if (question) void this.#ask(thread, question);
    }
    if (this.#queue.size === 0 || this.#isFull()) {
      clearTimeout(this.#growth);
      this.#growth = undefined;
    } else {
      this.#growth ??= setTimeout(() => {
        this.#growth = undefined;
        if (this.#queue.size > 0 && !this.#isFull()) this.#start();
      }, this.#limits.growMs);
    }
  }

  #isFull(): boolean {
    return this.#threads.size + this.#starts.size >= this.#limits.workers;
  }

  /** Suspects never get the last thread: whatever they do, other questions go on beside them. */
  #mayBeAsked(question: PendingQuestion): boolean {
    if (this.#limits.workers === 1 || !this.#isSuspect(question)) return true;
    const asked = [...this.#threads.values()];
    return asked.filter((one) => !one || !this.#isSuspect(one)).length > 1;
  }

  /** Which question goes where the queue is full: the last suspect for one that is none, otherwise the new one. */
  #crowdedOut(question: PendingQuestion): PendingQuestion {
    const suspect = this.#isSuspect(question)
      ? undefined
      : this.#queue.takeLast((one) => this.#isSuspect(one));
    return suspect && this.#queue.add(question) ? suspect : question;
  }

  #isSuspect({ policies }: PendingQuestion): boolean {
    const now = performance.now();
    return policies.some((policy) => (this.#suspects.get(policy) ?? 0) > now);
  }

  async #ask(thread: RegoThread, question: PendingQuestion): Promise<void> {
    this.#threads.set(thread, question);
    const answer = await thread.ask(question);
    if (answer.end) this.#threads.delete(thread);
    else this.#threads.set(thread, undefined);
    this.#judge(question, answer);
    question.resolve(completed(question.policies, answer));
    const seconds = (performance.now() - question.begun) / 1_000;
    this.#options.metrics?.policyEvaluation.observe({}, seconds);
    if (!answer.end && thread.memoryBytes > this.#limits.memoryBytes) {
      this.#threads.delete(thread);
      void thread.close();
    }
    this.#hand();
  }

  #judge({ policies }: PendingQuestion, { outcomes, end }: ThreadAnswer): void {
    if (!end) {
      this.#crashes = 0;
      return;
    }
    this.#options.metrics?.policyFailures.inc({ reason: end.reason });
    const last = policies[outcomes.length];
    if (last !== undefined) this.#suspects.set(last, performance.now() + REGO_SUSPECT_MS);
  }

  #add(thread: RegoThread): void {
    this.#threads.set(thread, undefined);
    this.#options.metrics?.policyThreads.inc();
    void thread.ended.then(({ message, isCrash }) => {
      this.#options.metrics?.policyThreads.dec();
      this.#threads.delete(thread);
      if (!this.#isClosed) this.#replace(message, isCrash);
    });
  }

  #start(): void {
    const started = this.#startOne().finally(() => {
      this.#starts.delete(started);
      if (!this.#isClosed) this.#hand();
    });
    this.#starts.add(started);
  }

  async #startOne(): Promise<void> {
    try {
      const thread = await this.#options.start();
      if (this.#isClosed) await thread.close();
      else this.#add(thread);
    } catch (error) {
      if (!this.#isClosed) this.#replace(error instanceof Error ? error.message : '', true);
    }
  }

  /** At once, or later and later when evaluators crash one after the other. */
  #replace(reason: string, isCrash: boolean): void {
    this.#options.onLost(reason);
    const pauseMs = isCrash ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#crashes++) : 0;
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      if (!this.#isFull()) this.#start();
    }, pauseMs);
    this.#pauses.add(pause);
  }

  #refuse({ policies, resolve }: PendingQuestion, reason: string, error: string): void {
    this.#options.metrics?.policyFailures.inc({ reason });
    resolve(policies.map((policy) => ({ policy, error, microseconds: 0 })));
  }
}
