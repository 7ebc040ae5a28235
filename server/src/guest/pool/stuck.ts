import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from '../limits.ts';

/** The part of a guest that is watched. */
export interface SilentGuest {
  readonly hasExited: boolean;
  /** It may be stopped at a breakpoint. */
  readonly isHeld: boolean;
  readonly agents: { health(signal: AbortSignal): Promise<unknown> };
  /** Asks whether the process executes at all; resolves on its response, independent of its event loop. */
  signOfLife(): Promise<void>;
}

/** The pause after a sign of life until the next check, as a fraction of `stuckAfterMs`. */
const PAUSE = 1 / 3;
/** Interval of the requests, or a tenth of a short `stuckAfterMs`: one response may be lost. */
const ASK_EVERY_MS = 1_000;
const LEAST_ASKS = 10;

type SilenceLimits = Pick<GuestLimits, 'stuckAfterMs' | 'hostStoodStillMs'>;

/**
 * Watches a guest until its process has exited. Resolves with true as soon as it has given no sign of life for
 * `stuckAfterMs` of requests. Agents may block the event loop with waiting calls (`requests.get`), which is allowed, so
 * a guest is also asked in a way that needs only that the process executes.
 */
export async function becomesStuck(guest: SilentGuest, limits: SilenceLimits): Promise<boolean> {
  while (!guest.hasExited) {
    await delay(limits.stuckAfterMs * PAUSE, undefined, { ref: false });
    if (guest.hasExited || (await givesSign(guest, limits))) continue;
    // It is at a breakpoint, or has exited meanwhile, which is handled elsewhere.
    if (guest.isHeld || guest.hasExited) continue;
    return true;
  }
  return false;
}

/**
 * True when it gives a sign before `stuckAfterMs` have passed. The time restarts when this process itself was
 * suspended: the response may then have arrived without being read.
 */
async function givesSign(
  guest: SilentGuest,
  { stuckAfterMs, hostStoodStillMs }: SilenceLimits,
): Promise<boolean> {
  const everyMs = Math.min(ASK_EVERY_MS, stuckAfterMs / LEAST_ASKS);
  const over = new AbortController();
  const sign = firstSign();
  sign.awaitFrom(guest.agents.health(over.signal));
  try {
    let since = performance.now();
    while (!guest.hasExited && performance.now() - since < stuckAfterMs) {
      const before = performance.now();
      sign.awaitFrom(guest.signOfLife());
      if (await happens(sign.given, everyMs)) return true;
      if (performance.now() - before - everyMs > hostStoodStillMs) since = performance.now();
    }
    return false;
  } finally {
    over.abort();
  }
}

/** Resolves `given` with the first call that succeeds. A failed call proves nothing about the guest. */
function firstSign(): { given: Promise<true>; awaitFrom(call: Promise<unknown>): void } {
  let give = (): void => undefined;
  const given = new Promise<true>((resolve) => (give = () => resolve(true)));
  const ignore = (): void => undefined;
  return { given, awaitFrom: (call) => void call.then(() => give(), ignore) };
}

async function happens(what: Promise<true>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(limitMs, false, { ref: false, signal: timer.signal }).catch(() => false);
  const has = await Promise.race([what, late]);
  timer.abort();
  return has;
}
