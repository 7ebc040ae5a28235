import type { ApiError } from './errors.ts';

const longestMs = 5_000;

/** How long to wait before the next try: doubling, with jitter, up to five seconds. */
export interface ReconnectDelay {
  readonly failures: number;
  wait(signal: AbortSignal): Promise<void>;
  /** Data arrived: the next failure starts with the first wait. */
  reset(): void;
}

/** Makes a delay whose first wait is about `firstMs`. */
export function createReconnectDelay(firstMs = 200): ReconnectDelay {
  let failures = 0;
  return {
    get failures() {
      return failures;
    },
    wait(signal) {
      const ms = Math.min(firstMs * 2 ** failures, longestMs) * (0.75 + Math.random() / 2);
      failures += 1;
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
      });
    },
    reset() {
      failures = 0;
    },
  };
}

/** False for a permanent failure: not found, not allowed, an invalid request. */
export function isWorthRepeating({ status }: ApiError): boolean {
  return status === 0 || status === 200 || status === 408 || status === 429 || status >= 500;
}
