/*
 * Threads (`rego-worker.ts`, `worker-thread.ts`). Go's timers share the thread of an evaluation, so OPA checks a clock
 * at every step (`clock.go`, `topdown.Cancel`), and a question that takes too long ends inside a thread that continues.
 * This does not reach a single function of OPA that never returns: a thread that sends nothing for the time of a
 * question and a little more is ended, its known outcomes are kept, and another takes over. The module is compiled once
 * for all threads, and a new thread compiles a policy at its first use, without counting that as the policy's time, so
 * it is ready in a few hundred milliseconds whatever the number of policies.
 *
 * Batches (`batch-text.ts`, `batch.go`). Questions asked in the same turn of the event loop, such as those about the
 * rows of a list (`model/permitted-rows.ts`), are one message and one call: no layer above depends on it, and each is
 * still a separate decision. Members of the inputs that are equal as texts are sent and parsed once. Compilation
 * determines which parts of the input a policy and its libraries mention (`reads.go`: possibly too many, never too
 * few); where these are the same as in an earlier question of the batch, its outcome is reused, unless it depends on
 * the clock or on random values.
 *
 * The pool (`worker-pool.ts`) has one queue in front of its threads: waiting questions go to another thread when one
 * ends. Every question first gets a slice of 50 ms; if it does not finish, it is asked again, alone, with all of its
 * time (evaluation has no effects), and never in the last thread (`next-batch.ts`). `policy-pace.ts` records which
 * policies were quick and which were not: new policies use at most one thread at a time and alternate with the others.
 * So nothing needs to be known about a policy in advance, and two threads, of some 100 MB each, are enough however many
 * policies run away.
 */
import { REGO_SLICE_MS } from '../../model/limits/rego-limits.ts';
import { batchText, byteLengthOf, inputText } from './batch-text.ts';
import { BatchChoice, paceOf, type Batch } from './next-batch.ts';
import { completed, outcomesOf } from './outcomes.ts';
import { PolicyPace, type Pace } from './policy-pace.ts';
import { usualLimits, type PoolLimits, type PoolOptions } from './pool-options.ts';
import type { RegoEvaluator, RegoOutcome, RegoQuestion } from './port.ts';
import { QuestionQueue, type PendingQuestion } from './question-queue.ts';
import type { WorkerOutcome } from './worker-protocol.ts';
import type { RegoThread, BatchResult } from './worker-thread.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * A few threads behind one queue. Questions asked at the same time, such as those about the rows of a list, are one
 * message to a thread. A question that takes longer than a slice is asked again, alone: it fails alone and delays no
 * others.
 */
export class RegoPool implements RegoEvaluator {
  readonly #options: PoolOptions;
  readonly #limits: Required<PoolLimits>;
  readonly #queue: QuestionQueue;
  readonly #pace = new PolicyPace();
  readonly #choice: BatchChoice;
  /** Available threads, each with its current batch. */
  readonly #threads = new Map<RegoThread, Batch | undefined>();
  readonly #starts = new Set<Promise<void>>();
  #crashes = 0;
  #growth: NodeJS.Timeout | undefined;
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isHandWanted = false;
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
    this.#choice = new BatchChoice(this.#queue, this.#pace);
    this.#add(options.first);
  }

  evaluate({ input, policies }: RegoQuestion): Promise<readonly RegoOutcome[]> {
    return new Promise((resolve) => {
      const text = inputText(input);
      const bytes = text === undefined ? 0 : byteLengthOf(text);
      const question = { input: text ?? '', bytes, policies, begun: performance.now(), resolve };
      const { inputBytes, queue } = this.#limits;
      if (this.#isClosed) return this.#refuse(question, 'closed', 'the evaluator is closed');
      if (text === undefined) {
        return this.#refuse(question, 'input', 'the input is nested too deeply');
      }
      if (bytes > inputBytes) {
        return this.#refuse(question, 'input', `the input is larger than ${inputBytes} bytes`);
      }
      const refused = this.#queue.add(question) ? undefined : this.#crowdedOut(question);
      if (refused) this.#refuse(refused, 'queue', `${queue} questions are waiting already`);
      this.#handSoon();
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

  /** Runs once all questions asked at the same time are queued. */
  #handSoon(): void {
    if (this.#isHandWanted) return;
    this.#isHandWanted = true;
    queueMicrotask(() => {
      this.#isHandWanted = false;
      this.#hand();
    });
  }

  /** Gives waiting questions to idle threads; starts another thread if questions still wait after `growMs`. */
  #hand(): void {
    for (const [thread, asked] of this.#threads) {
      if (asked) continue;
      const batch = this.#choice.next([...this.#threads.values()], this.#limits.workers);
      if (batch) void this.#ask(thread, batch);
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

  /**
   * Which question is refused when the queue is full: the last slow one in favour of one that is not slow, otherwise
   * the new one.
   */
  #crowdedOut(question: PendingQuestion): PendingQuestion {
    const slow = this.#isSlow(question)
      ? undefined
      : this.#queue.takeLast((one) => this.#isSlow(one));
    return slow && this.#queue.add(question) ? slow : question;
  }

  #isSlow(question: PendingQuestion): boolean {
    return paceOf(question, this.#pace) === 'slow';
  }

  async #ask(thread: RegoThread, batch: Batch): Promise<void> {
    const { pace, questions } = batch;
    this.#threads.set(thread, batch);
    const result = await thread.ask({
      text: batchText(questions),
      isCareful: pace === 'slow',
      ...(pace !== 'slow' && { limitMs: REGO_SLICE_MS }),
    });
    if (result.end?.isThread === true) this.#threads.delete(thread);
    else this.#threads.set(thread, undefined);
    if (!result.end) this.#crashes = 0;
    this.#settle(batch, result);
    if (result.end?.isThread !== true && thread.memoryBytes > this.#limits.memoryBytes) {
      this.#threads.delete(thread);
      void thread.close();
    }
    this.#hand();
  }

  /** Resolves decided questions; asks those again that their slice did not decide. */
  #settle({ pace, questions }: Batch, { outcomes, end }: BatchResult): void {
    let at = 0;
    for (const [index, question] of questions.entries()) {
      const { policies } = question;
      const known = outcomes.slice(at, (at += policies.length));
      if (known.length === policies.length) {
        if (pace !== 'slow') this.#pace.wereQuick(policies);
        this.#resolve(question, outcomesOf(policies, known));
        continue;
      }
      // A thread that reported all outcomes has no end.
      if (!end) return;
      // Outcomes that an ended thread did not send are lost, so the policy at fault is unknown.
      if (pace === 'slow' || !end.isThread) this.#blame(question, known, pace);
      if (pace === 'slow' || this.#isClosed) {
        this.#options.metrics?.policyFailures.inc({ reason: end.reason });
        this.#resolve(question, completed(policies, outcomesOf(policies, known), end.message));
        continue;
      }
      const undecided = questions.slice(index);
      for (const one of end.isThread ? undecided : [question]) one.isAlone = true;
      this.#queue.putBack(undecided);
      return;
    }
  }

  /** Marks the policy that was running when the time was over, unless earlier ones used most of it. */
  #blame({ policies }: PendingQuestion, known: readonly WorkerOutcome[], pace: Pace): void {
    const policy = policies[known.length];
    const spent = known.reduce((sum, { microseconds }) => sum + microseconds, 0) / 1_000;
    if (policy !== undefined && (pace === 'slow' || spent < REGO_SLICE_MS / 2))
      this.#pace.wasSlow(policy);
  }

  #resolve(question: PendingQuestion, outcomes: RegoOutcome[]): void {
    question.resolve(outcomes);
    const seconds = (performance.now() - question.begun) / 1_000;
    this.#options.metrics?.policyEvaluation.observe({}, seconds);
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

  /** At once, or with growing pauses when evaluators crash repeatedly. */
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
