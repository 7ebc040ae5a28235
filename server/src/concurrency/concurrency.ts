/* Helpers for waiting: time limits, and queues by key. p-limit bounds the number of concurrent calls. */
import pLimit, { type LimitFunction } from 'p-limit';

/** Settles as the promise does; rejects after the limit with an error that names the awaited operation. */
export async function withTimeLimit<T>(
  promise: Promise<T>,
  limitMs: number,
  what: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs} ms.`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with a signal that fires after `limitMs` or with `signal`. Resolves with `elapsed` when the time limit
 * ended it; otherwise rejects as `work` does.
 */
export async function withDeadline<T>(
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ kind: 'done'; value: T } | { kind: 'elapsed' }> {
  signal.throwIfAborted();
  const controller = new AbortController();
  let isElapsed = false;
  const timer = setTimeout(() => {
    isElapsed = true;
    controller.abort(new Error('the time is over'));
  }, limitMs);
  const forward = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  try {
    return { kind: 'done', value: await work(controller.signal) };
  } catch (error) {
    if (isElapsed) return { kind: 'elapsed' };
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}

/** A queue for each key: calls with the same key run one after the other, in the order of arrival. */
export function createKeyedQueue(): <T>(key: string, call: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, LimitFunction>();
  return async (key, call) => {
    const queue = queues.get(key) ?? pLimit(1);
    queues.set(key, queue);
    try {
      return await queue(call);
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(key);
    }
  };
}
