import * as nodeModule from 'node:module';
import { dirname, extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import {
  MessageChannel,
  type MessagePort,
  type Worker,
  type WorkerOptions,
} from 'node:worker_threads';

/** Workflow code returns within milliseconds; a long replay takes seconds. */
export const WORKFLOW_CALL_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** Loaded first in the thread. In the same folder as this file, in a checkout and when built. */
const preload = fileURLToPath(
  new URL(`./workflow-thread${extname(import.meta.url).replace('.', '.c')}`, import.meta.url),
);

/** The SDK is CommonJS and looks the class up in this object at each use. */
const workerThreads = nodeModule.createRequire(import.meta.url)('node:worker_threads') as {
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
  /** Has every thread collect its garbage; does not wait for it. */
  collectGarbage(): void;
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
      const { port1: collect, port2 } = new MessageChannel();
      super(file, {
        ...options,
        workerData: { callBegan, collect: port2 }, // WorkflowThreadData
        transferList: [port2],
        execArgv: ['--require', preload],
        env: withCompileCache(),
      });
      watches.push(new Watch({ thread: this, callBegan, collect, limitMs, lookEveryMs }));
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
    collectGarbage() {
      for (const watch of watches) watch.collectGarbage();
    },
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/**
 * The environment of a thread that has the compile cache of this one. Threads do not inherit it; without it the SDK is
 * compiled again, and a checkout's preload has Node load its TypeScript compiler into the thread: 17 MB together.
 */
function withCompileCache(): NodeJS.ProcessEnv {
  // Absent in Node 20. Each version has its own folder in the cache's.
  const folder = nodeModule.getCompileCacheDir?.();
  return folder === undefined
    ? process.env
    : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

interface WatchParts extends Required<WatchOptions> {
  thread: Worker;
  callBegan: BigInt64Array;
  collect: MessagePort;
}

class Watch {
  hasHung = false;
  readonly #timer: NodeJS.Timeout;
  readonly #collect: MessagePort;

  constructor({ thread, callBegan, collect, limitMs, lookEveryMs }: WatchParts) {
    this.#collect = collect;
    const limit = BigInt(limitMs) * 1_000_000n;
    // When the call began that took too long at the last look; 0: none.
    let lateBegan = 0n;
    this.#timer = setInterval(() => {
      const began = Atomics.load(callBegan, 0);
      const isLate = began !== 0n && process.hrtime.bigint() - began >= limit;
      const wasLate = isLate && began === lateBegan;
      lateBegan = isLate ? began : 0n;
      // A second look, because the whole process may have been stopped meanwhile.
      if (!wasLate) return;
      this.hasHung = true;
      this.close();
      void thread.terminate();
    }, lookEveryMs).unref();
  }

  collectGarbage(): void {
    this.#collect.postMessage('collect');
  }

  close(): void {
    clearInterval(this.#timer);
    this.#collect.close();
  }
}
