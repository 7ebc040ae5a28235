/*
 * A guest that answers no health call because an agent holds its event loop takes no new runs (`guest/pool/liveness.ts`).
 * Its runs stay: agents do wait and compute there for minutes. One that gives no sign of life for `guest.stuck_after`
 * is killed (`guest/pool/stuck.ts`), with SIGKILL, since nothing else reaches a process that is stopped.
 *
 * Whoever does not answer a health call is asked by a line on its standard input, which the thread answers that
 * watches it for its end: in Python it needs the interpreter lock, which a call that waits gives away and native code
 * may keep; in JavaScript it is a worker and needs only that the process runs, so an endless loop there is no reason,
 * as it is none in Python. Every process is watched, from its readiness to its exit, whatever it is for; one that a
 * debugger may hold is left alone, and the time begins anew when it was the host that stood still.
 *
 * The runs end as INFRA, so that the message says what happened; their next attempts get a guest of their own, as
 * after a crash.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from '../limits.ts';

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
