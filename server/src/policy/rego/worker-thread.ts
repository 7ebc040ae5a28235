import { Worker } from 'node:worker_threads';
import { REGO_GRACE_MS, REGO_LOAD_MS, REGO_QUESTION_MS } from '../../model/limits/rego-limits.ts';
import type { RegoFinding } from './port.ts';
import type { WorkerBatch, WorkerMessage, WorkerOutcome, WorkerStart } from './worker-protocol.ts';

/** The same file, which is compiled to JavaScript in a package. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './rego-worker.ts' : './rego-worker.js',
  import.meta.url,
);

/** JavaScript in the thread holds only messages in transit. Go's memory belongs to the module. */
const resourceLimits = { maxOldGenerationSizeMb: 256, stackSizeMb: 4 };

/** The result of a batch: the outcomes of all its questions, or those known when its time was over. */
export interface BatchResult {
  outcomes: WorkerOutcome[];
  /** Why the rest is missing. `isThread`: the thread has ended, too. */
  end?: { reason: 'time' | 'crash'; message: string; isThread: boolean };
}

/** Why a thread has ended. */
export interface ThreadEnd {
  message: string;
  /** The service did not close it. */
  isCrash: boolean;
}

/** Defaults are in model/limits/rego-limits.ts; tests use smaller limits. */
export interface ThreadLimits {
  questionMs?: number;
  loadMs?: number;
}

interface Asked {
  outcomes: WorkerOutcome[];
  limitMs: number;
  timer: NodeJS.Timeout | undefined;
  resolve(result: BatchResult): void;
}

/**
 * One thread that evaluates policies, one batch of questions at a time. The evaluator itself ends a question that takes
 * too long. A question that it cannot end, in a function of OPA that never returns, ends the thread.
 */
export class RegoThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<ThreadEnd>;
  readonly #worker: Worker;
  readonly #limits: { questionMs: number; loadMs: number };
  #asked: Asked | undefined;
  #lastWords: string | undefined;
  #memoryBytes = 0;
  #isClosed = false;
  #onReady: ((findings: RegoFinding[]) => void) | undefined;

  constructor(
    start: WorkerStart,
    { questionMs = REGO_QUESTION_MS, loadMs = REGO_LOAD_MS }: ThreadLimits = {},
  ) {
    this.#limits = { questionMs, loadMs };
    this.#worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits,
      // Policies must not see the service's environment.
      env: {},
      execArgv: [],
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => (this.#lastWords ??= error.message));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        const message = this.#lastWords ?? 'the thread was closed';
        const end = { message: `the evaluator ended: ${message}`, isThread: true };
        this.#settle({ reason: 'crash', ...end });
        resolve({ message, isCrash: !this.#isClosed });
      });
    });
  }

  /**
   * Resolves when the program is loaded, with the errors in it; rejects when loading takes too long or ends the thread.
   */
  async ready(limitMs: number): Promise<RegoFinding[]> {
    const loaded = new Promise<RegoFinding[]>((resolve) => (this.#onReady = resolve));
    const timer = setTimeout(() => {
      this.#lastWords ??= `loading took more than ${limitMs} ms`;
      void this.close();
    }, limitMs);
    const failed = this.ended.then(({ message }) => Promise.reject(new Error(message)));
    try {
      return await Promise.race([loaded, failed]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Bytes of the evaluator's memory after the last question; it never shrinks. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Each question of the batch may take `limitMs`, by default the limit of a whole question. */
  ask(batch: Omit<WorkerBatch, 'limitMs'> & { limitMs?: number }): Promise<BatchResult> {
    return new Promise((resolve) => {
      const { limitMs = this.#limits.questionMs } = batch;
      this.#asked = { outcomes: [], limitMs, timer: undefined, resolve };
      this.#watch(this.#silenceMs);
      this.#worker.postMessage({ ...batch, limitMs } satisfies WorkerBatch);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  get #silenceMs(): number {
    return this.#limits.questionMs + REGO_GRACE_MS;
  }

  /** Ends the thread if it sends no message within this time. */
  #watch(silenceMs: number): void {
    const asked = this.#asked;
    if (!asked) return;
    clearTimeout(asked.timer);
    // After messages that have already arrived: a busy service must not count its own delay as the policy's time.
    const timer = setTimeout(() => {
      setImmediate(() => asked.timer === timer && this.#runAway(asked));
    }, silenceMs);
    asked.timer = timer;
  }

  #runAway(asked: Asked): void {
    if (this.#asked !== asked) return;
    const { message } = overdue(this.#limits.questionMs);
    this.#lastWords ??= message;
    this.#settle({ reason: 'time', message, isThread: true });
    void this.close();
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case 'ready':
        this.#onReady?.(message.findings);
        return;
      case 'compiling':
        this.#watch(message.isCompiling ? this.#limits.loadMs : this.#silenceMs);
        return;
      case 'outcomes':
        this.#asked?.outcomes.push(...message.outcomes);
        this.#watch(this.#silenceMs);
        return;
      case 'done':
        this.#memoryBytes = message.memoryBytes;
        this.#asked?.outcomes.push(...message.outcomes);
        this.#settle(
          message.isCut ? { ...overdue(this.#asked?.limitMs), isThread: false } : undefined,
        );
        return;
      case 'failed':
        this.#lastWords ??= message.message;
    }
  }

  #settle(end?: BatchResult['end']): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    clearTimeout(asked.timer);
    asked.resolve({ outcomes: asked.outcomes, ...(end && { end }) });
  }
}

function overdue(limitMs = 0) {
  return { reason: 'time' as const, message: `the time limit of ${limitMs} ms is over` };
}
