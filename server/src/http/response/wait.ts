import { ServiceError } from '../../errors/service-error.ts';
import { parseGoDuration } from '../../model/duration.ts';

/** Spec: Limits, wait / timeout cap. Also the default of the wait endpoints. */
export const MAX_WAIT_MS = 10 * 60 * 1000;

/** In a shorter window the response would come late if the run began within the creation (activities/short-run.ts). */
const SHORT_RUN_WINDOW_MS = 5_000;

/** Whether a run that is waited for in this window may be created together with its end. */
export function isAwaited(windowMs: number): boolean {
  return windowMs >= SHORT_RUN_WINDOW_MS;
}

/** Milliseconds of a Go duration (`1h30m`, `1.5s`) or of whole seconds; undefined when it is neither. */
export function parseDuration(text: string): number | undefined {
  return /^\+?\d{1,99}$/.test(text) ? Number(text) * 1_000 : parseGoDuration(text);
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
