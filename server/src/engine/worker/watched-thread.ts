import { createRequire } from 'node:module';
import { extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Worker, WorkerOptions } from 'node:worker_threads';

/** Workflow code returns within milliseconds; a long replay takes seconds. */
export const WORKFLOW_CALL_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** Loaded first in the thread. In the same folder as this file, in a checkout and when built. */
const preload = fileURLToPath(
  new URL(`./workflow-thread${extname(import.meta.url).replace('.', '.c')}`, import.meta.url),
);

/** The SDK is CommonJS and looks the class up in this object at each use. */
const workerThreads = createRequire(import.meta.url)('node:worker_threads') as {
  Worker: typeof Worker;
};

export interface WatchOptions {
  /** How long one call into workflow code may take. */
  limitMs?: number;
  lookEveryMs?: number;
}

/** The threads for workflows that were started while `make` ran, and are watched from then on. */
export interface WatchedThreads<T> {
  made: T;
  /** How many they are. */
  count: number;
  /** A thread did not return from workflow code and was terminated. */
  hasHung(): boolean;
  /** Ends the watch. */
  close(): void;
}

/**
 * Makes the SDK's worker, which starts its threads for workflows meanwhile and takes no options for them: each gets our
 * preload, and a watch that terminates it when workflow code does not return. The SDK then fails the worker.
 */
export async function withWatchedThreads<T>(
  make: () => Promise<T>,
  { limitMs = WORKFLOW_CALL_LIMIT_MS, lookEveryMs = LOOK_EVERY_MS }: WatchOptions = {},
): Promise<WatchedThreads<T>> {
  const watches: Watch[] = [];
  const { Worker: Original } = workerThreads;
  class WatchedThread extends Original {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const callBegan = new BigInt64Array(new SharedArrayBuffer(8));
      const workerData = { callBegan }; // WorkflowThreadData
      super(file, { ...options, workerData, execArgv: ['--require', preload] });
      watches.push(new Watch(this, callBegan, { limitMs, lookEveryMs }));
    }
  }
  workerThreads.Worker = WatchedThread;
  let made: T;
  try {
    made = await make();
  } catch (error) {
    for (const watch of watches) watch.close();
    throw error;
  } finally {
    workerThreads.Worker = Original;
  }
  return {
    made,
    count: watches.length,
    hasHung: () => watches.some(({ hasHung }) => hasHung),
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

class Watch {
  hasHung = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    thread: Worker,
    callBegan: BigInt64Array,
    { limitMs, lookEveryMs }: Required<WatchOptions>,
  ) {
    this.#timer = setInterval(() => {
      const began = Atomics.load(callBegan, 0);
      if (began === 0n || process.hrtime.bigint() - began < BigInt(limitMs) * 1_000_000n) return;
      this.hasHung = true;
      this.close();
      void thread.terminate();
    }, lookEveryMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
