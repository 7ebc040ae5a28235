import { Worker } from 'node:worker_threads';
import type { Json } from '../../model/json.ts';
import { REGO_QUESTION_MS } from '../../model/rego-limits.ts';
import type { RegoFinding, RegoOutcome } from './port.ts';
import type { WorkerMessage, WorkerQuestion, WorkerStart } from './worker-protocol.ts';

/** The same file, compiled in a package. */
const workerFile = new URL(
  import.meta.url.endsWith('.ts') ? './rego-worker.ts' : './rego-worker.js',
  import.meta.url,
);

/** What JavaScript has in the thread: texts on their way. Go's memory is the module's own. */
const resourceLimits = { maxOldGenerationSizeMb: 256, stackSizeMb: 4 };

/** The outcomes of a question: all, or those that were known when the thread ended. */
export interface ThreadAnswer {
  outcomes: RegoOutcome[];
  /** Why the rest is missing. */
  end?: { reason: 'time' | 'crash'; message: string };
}

/** Why a thread is gone. */
export interface ThreadEnd {
  message: string;
  /** Nobody here ended it. */
  isCrash: boolean;
}

interface Asked {
  policies: readonly string[];
  outcomes: RegoOutcome[];
  timer: NodeJS.Timeout;
  resolve(answer: ThreadAnswer): void;
}

/** One thread that evaluates policies. It is asked one question at a time; a question that takes too long ends it. */
export class RegoThread {
  /** Resolves when the thread is gone. */
  readonly ended: Promise<ThreadEnd>;
  readonly #worker: Worker;
  readonly #questionMs: number;
  #asked: Asked | undefined;
  #lastWords: string | undefined;
  #memoryBytes = 0;
  #isClosed = false;
  #onReady: ((findings: RegoFinding[]) => void) | undefined;

  constructor(start: WorkerStart, { questionMs = REGO_QUESTION_MS } = {}) {
    this.#questionMs = questionMs;
    this.#worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits,
      // What a service is told by its environment is nothing for policies.
      env: {},
      execArgv: [],
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#hear(message));
    this.#worker.on('error', (error) => (this.#lastWords ??= error.message));
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        const message = this.#lastWords ?? 'the thread was closed';
        this.#settle({ reason: 'crash', message: `the evaluator ended: ${message}` });
        resolve({ message, isCrash: !this.#isClosed });
      });
    });
  }

  /** Resolves when the program is loaded, with what is wrong in it; rejects when that takes too long or ends the thread. */
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

  ask(question: WorkerQuestion): Promise<ThreadAnswer> {
    return new Promise((resolve) => {
      const { policies } = question;
      // Behind messages that have come: a service that was busy itself must not take that for the policy's time.
      const late = (): void => void setImmediate(() => this.#runAway(asked));
      const timer = setTimeout(late, this.#questionMs);
      const asked: Asked = { policies, outcomes: [], timer, resolve };
      this.#asked = asked;
      this.#worker.postMessage({ input: question.input, policies: question.policies });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  /** Nothing inside can interrupt an evaluation: Go's own timers share its thread. */
  #runAway(asked: Asked): void {
    if (this.#asked !== asked) return;
    const message = `the time limit of ${this.#questionMs} ms is over`;
    this.#lastWords ??= message;
    this.#settle({ reason: 'time', message });
    void this.close();
  }

  #hear(message: WorkerMessage): void {
    switch (message.kind) {
      case 'ready':
        this.#onReady?.(message.findings);
        return;
      case 'outcome':
        this.#asked?.outcomes.push(outcomeOf(message, this.#asked));
        return;
      case 'done':
        this.#memoryBytes = message.memoryBytes;
        this.#settle();
        return;
      case 'failed':
        this.#lastWords ??= message.message;
    }
  }

  #settle(end?: ThreadAnswer['end']): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    clearTimeout(asked.timer);
    asked.resolve({ outcomes: asked.outcomes, ...(end && { end }) });
  }
}

function outcomeOf(
  { value, error, microseconds }: Extract<WorkerMessage, { kind: 'outcome' }>,
  { policies, outcomes }: Asked,
): RegoOutcome {
  const policy = policies[outcomes.length] ?? '';
  if (error !== null) return { policy, error, microseconds };
  if (value === null) return { policy, microseconds };
  return { policy, value: JSON.parse(value) as Json, microseconds }; // what else is there in JSON
}
