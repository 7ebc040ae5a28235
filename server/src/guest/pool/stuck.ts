import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from '../limits.ts';

/** What of a guest is looked at. */
export interface SilentGuest {
  readonly hasExited: boolean;
  /** It may stand at a breakpoint. */
  readonly isHeld: boolean;
  readonly agents: { health(signal: AbortSignal): Promise<unknown> };
  /** Asks whether it runs at all; resolves when it says so, whatever its event loop does. */
  signOfLife(): Promise<void>;
}

/** So much of `stuckAfterMs` passes after a sign until it is asked for again. */
const PAUSE = 1 / 3;
/** It is asked again so often, or ten times within a short `stuckAfterMs`: one answer may be lost. */
const ASK_EVERY_MS = 1_000;
const LEAST_ASKS = 10;

type SilenceLimits = Pick<GuestLimits, 'stuckAfterMs' | 'hostStoodStillMs'>;

/**
 * Watches a guest until its process is gone. Resolves with true as soon as it was asked for `stuckAfterMs` and gave no
 * sign of life. Agents hold the event loop with calls that wait (`requests.get`): that is none of this, which is why
 * a guest is also asked in a way that needs only that it can execute anything.
 */
export async function becomesStuck(guest: SilentGuest, limits: SilenceLimits): Promise<boolean> {
  while (!guest.hasExited) {
    await delay(limits.stuckAfterMs * PAUSE, undefined, { ref: false });
    if (guest.hasExited || (await givesSign(guest, limits))) continue;
    // At a breakpoint; or it died meanwhile, which others see to.
    if (guest.isHeld || guest.hasExited) continue;
    return true;
  }
  return false;
}

/**
 * True when it gives a sign before `stuckAfterMs` have passed. The time begins anew when this process stood still, as it
 * does when it was stopped: then the answer may be there already and only has not been read.
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

/** Given with the first call that succeeds. One that fails says nothing about who did not answer it. */
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
