import { ServiceError } from '../../errors/service-error.ts';

/** Spec: Limits, wait / timeout cap. Also the default of the wait endpoints. */
export const MAX_WAIT_MS = 10 * 60 * 1000;

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const DURATION = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gu;

/** Milliseconds of a Go duration (`1h30m`, `1.5s`) or of whole seconds; undefined when it is neither. */
export function parseDuration(text: string): number | undefined {
  if (text.length > 100) return undefined;
  if (/^\+?\d+$/.test(text)) return Number(text) * 1_000;
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(PART)) {
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return total;
}

/**
 * The window of a request in milliseconds, at most 10 minutes; undefined when none is given.
 * `wait` wins over `timeout` (decisions: "wait"), which must still be valid.
 */
export function waitWindow(query: { wait?: string; timeout?: string }): number | undefined {
  const wait = duration('wait', query.wait);
  const timeout = duration('timeout', query.timeout);
  const window = wait ?? timeout;
  return window === undefined ? undefined : Math.min(window, MAX_WAIT_MS);
}

function duration(name: 'wait' | 'timeout', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  const message = 'must be a duration such as 30s or 5m, or whole seconds';
  throw new ServiceError('invalid_request', `${name} ${message}.`, {
    details: { issues: [{ path: name, message }] },
  });
}
