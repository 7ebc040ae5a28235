import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from './limits.ts';

/** What of a guest is looked at. */
export interface WatchedGuest {
  readonly retired: Promise<void>;
  readonly process: {
    readonly hasExited: boolean;
    readonly agents: { health(signal: AbortSignal): Promise<unknown> };
  };
}

/**
 * Asks a guest now and then whether it responds, until it is retired or its process is gone. Resolves with true when it
 * answered nothing for `blockedMs`: code of an agent holds its event loop, and new runs would wait behind it.
 */
export async function becomesBlocked(guest: WatchedGuest, limits: GuestLimits): Promise<boolean> {
  const stop = new AbortController();
  void guest.retired.then(() => stop.abort());
  while (!stop.signal.aborted) {
    await delay(limits.livenessEveryMs, undefined, { signal: stop.signal, ref: false }).catch(
      () => undefined,
    );
    if (stop.signal.aborted) return false;
    if (await answers(guest, limits.blockedMs)) continue;
    // Once more: it may have been this process that stood still.
    if (stop.signal.aborted || (await answers(guest, limits.livenessEveryMs))) continue;
    return !stop.signal.aborted;
  }
  return false;
}

async function answers(guest: WatchedGuest, limitMs: number): Promise<boolean> {
  try {
    await guest.process.agents.health(AbortSignal.timeout(limitMs));
    return true;
  } catch {
    return guest.process.hasExited; // others see to that
  }
}
