import { setTimeout as pause } from 'node:timers/promises';
import { UPDATE_BYTES_IN_FLIGHT, UPDATES_IN_FLIGHT } from '../../model/limits/limits.ts';
import { isBehind, isTransient } from './failures.ts';

/** How long a call on behalf of a client is retried while the engine is unavailable. */
export const CALL_PATIENCE_MS = 10_000;

/** The same while its disk is full: an engine that cannot read then will not recover soon. */
export const FULL_DISK_PATIENCE_MS = 3_000;

/** Concurrent queries of one thread: the embedded engine buffers 128 of a busy one and refuses further ones. */
export const QUERIES_IN_FLIGHT = 100;

const FIRST_PAUSE_MS = 5;
const QUICK_PAUSE_MS = 25;
const QUICK_ATTEMPTS = 40;
const SLOW_PAUSE_MS = 250;

/** How long a call is retried. */
export interface CallLimits {
  patienceMs?: number;
  /** The limit for a thread that falls behind, where that is longer. */
  behindMs?: number;
  /** Ends the retries with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Calls until it succeeds, fails for good, or its time is over; then it rejects with the last error. Pauses are short
 * at first, because the usual cause is a thread that changes executions (a few milliseconds).
 */
export async function callWithRetries<T>(
  call: (attempt: number) => Promise<T>,
  options: CallLimits = {},
): Promise<T> {
  const { patienceMs = CALL_PATIENCE_MS, behindMs = 0, signal } = options;
  const begin = performance.now();
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await call(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const limitMs = isBehind(error) ? Math.max(patienceMs, behindMs) : patienceMs;
      if (!isTransient(error) || performance.now() > begin + limitMs) throw error;
      await pause(pauseAfter(attempt));
    }
  }
}

function pauseAfter(attempt: number): number {
  if (attempt >= QUICK_ATTEMPTS) return SLOW_PAUSE_MS;
  return Math.min(QUICK_PAUSE_MS, FIRST_PAUSE_MS + attempt * FIRST_PAUSE_MS);
}

/**
 * Sends a request, and repeats it at each of `later` (ms from now) while there is no response (hedged requests).
 * Settles with the first response. A transient failure of a repeat is ignored: the first request is still awaited.
 */
export async function hedge<T>(
  first: () => Promise<T>,
  later: readonly number[],
  repeat: () => Promise<T>,
): Promise<T> {
  const isSettled = new AbortController();
  const response = first();
  const repeats = later.map(async (at) => {
    await pause(at, undefined, { signal: isSettled.signal });
    return repeat().catch((error: unknown) => {
      if (isTransient(error)) return response;
      throw error;
    });
  });
  try {
    return await Promise.race([response, ...repeats]);
  } finally {
    isSettled.abort();
  }
}

interface InFlight {
  calls: number;
  bytes: number;
  waiting: (() => void)[];
}

/**
 * Holds back calls on one thread at the engine's limits, above which it aborts admitted Updates and refuses queries.
 */
export class KeyedSemaphore {
  readonly #inFlight = new Map<string, InFlight>();
  readonly #maxCalls: number;

  constructor(options: { maxCalls?: number } = {}) {
    this.#maxCalls = options.maxCalls ?? UPDATES_IN_FLIGHT;
  }

  /** Runs the call when its thread has capacity for its bytes. Calls begin in the order of arrival. */
  async run<T>(threadId: string, bytes: number, call: () => Promise<T>): Promise<T> {
    const inFlight = this.#inFlight.get(threadId) ?? { calls: 0, bytes: 0, waiting: [] };
    this.#inFlight.set(threadId, inFlight);
    const isFull = (): boolean =>
      inFlight.calls > 0 &&
      (inFlight.calls >= this.#maxCalls || inFlight.bytes + bytes > UPDATE_BYTES_IN_FLIGHT);
    while (isFull()) await new Promise<void>((resolve) => inFlight.waiting.push(resolve));
    inFlight.calls += 1;
    inFlight.bytes += bytes;
    try {
      return await call();
    } finally {
      inFlight.calls -= 1;
      inFlight.bytes -= bytes;
      const woken = inFlight.waiting.splice(0);
      for (const wake of woken) wake();
      if (inFlight.calls === 0 && woken.length === 0) this.#inFlight.delete(threadId);
    }
  }
}
