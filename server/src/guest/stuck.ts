import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from './limits.ts';

/** What of a guest is looked at. */
export interface SilentGuest {
  readonly hasExited: boolean;
  /** It may stand at a breakpoint. */
  readonly isHeld: boolean;
  readonly agents: { health(signal: AbortSignal): Promise<unknown> };
  /** Asks whether it runs at all; resolves when it says so, whatever its event loop does. */
  signOfLife(): Promise<void>;
}

/** A third each: nothing is asked, its event loop is, then the thread that does nothing else. */
const PHASES = 3;
/** How often within one wait it is looked whether this process stood still. */
const LOOKS = 10;

type SilenceLimits = Pick<GuestLimits, 'stuckAfterMs' | 'hostStoodStillMs'>;

/**
 * Watches a guest until its process is gone. Resolves with true as soon as it has given no sign of life for
 * `stuckAfterMs`. Agents hold the event loop with calls that wait (`requests.get`): that is none of this, which is why
 * a guest whose event loop does not answer is asked in a way that needs only that it can execute anything.
 */
export async function becomesStuck(guest: SilentGuest, limits: SilenceLimits): Promise<boolean> {
  const phaseMs = limits.stuckAfterMs / PHASES;
  while (!guest.hasExited) {
    await delay(phaseMs, undefined, { ref: false });
    if (guest.hasExited || (await answers(guest, phaseMs, limits))) continue;
    // At a breakpoint; or it died meanwhile, which others see to.
    if (guest.isHeld || guest.hasExited) continue;
    return true;
  }
  return false;
}

async function answers(
  guest: SilentGuest,
  phaseMs: number,
  limits: SilenceLimits,
): Promise<boolean> {
  const over = new AbortController();
  const answered = settled(guest.agents.health(over.signal));
  try {
    if (await happens(answered, phaseMs, limits)) return true;
    const sign = settled(guest.signOfLife());
    return await happens(Promise.race([answered, sign]), phaseMs, limits);
  } finally {
    over.abort();
  }
}

/** A call that fails says nothing about who did not answer it. */
function settled(call: Promise<unknown>): Promise<true> {
  return new Promise((resolve) => {
    call.then(
      () => resolve(true),
      () => undefined,
    );
  });
}

/**
 * True when it happens before so much time has passed. The time begins anew when this process stood still, as it does
 * when it was stopped: then the answer may be there already and only has not been read.
 */
async function happens(
  what: Promise<true>,
  limitMs: number,
  { hostStoodStillMs }: SilenceLimits,
): Promise<boolean> {
  const stepMs = limitMs / LOOKS;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const before = performance.now();
    const timer = new AbortController();
    const step = delay(stepMs, false, { ref: false, signal: timer.signal }).catch(() => false);
    const has = await Promise.race([what, step]);
    timer.abort();
    if (has) return true;
    if (performance.now() - before - stepMs > hostStoodStillMs) looks = -1;
  }
  return false;
}
