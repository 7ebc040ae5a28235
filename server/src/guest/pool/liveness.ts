/*
 * A guest that responds to no health call because an agent blocks its event loop takes no new runs
 * (`guest/pool/liveness.ts`). Its runs stay: agents may wait and compute there for minutes. One that gives no sign of
 * life for `guest.stuck_after` is killed (`guest/pool/stuck.ts`), with SIGKILL, the only signal that ends a stopped
 * process.
 *
 * A guest is also asked by a line on its standard input; the thread that watches that input for its end responds. In
 * Python this thread needs the interpreter lock, which a waiting call releases and native code may keep; in JavaScript
 * it is a worker and needs only that the process runs. So an endless loop gets a guest killed in neither language.
 * Every process is watched, from its readiness to its exit; one that a debugger may hold is never killed, and the time
 * restarts when the host itself was suspended.
 *
 * The runs end as INFRA, so that the message states the reason; their next attempts get their own guest, as after a
 * crash.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { GuestLimits } from '../limits.ts';

/** The part of a guest that is watched. */
export interface WatchedGuest {
  readonly retired: Promise<void>;
  readonly process: {
    readonly hasExited: boolean;
    readonly agents: { health(signal: AbortSignal): Promise<unknown> };
  };
}

/**
 * Checks every `livenessEveryMs` whether a guest responds, until it is retired or its process has exited. Resolves with
 * true when it did not respond for `blockedMs`: agent code blocks its event loop, and new runs would wait for it.
 */
export async function becomesBlocked(guest: WatchedGuest, limits: GuestLimits): Promise<boolean> {
  const stop = new AbortController();
  void guest.retired.then(() => stop.abort());
  while (!stop.signal.aborted) {
    await delay(limits.livenessEveryMs, undefined, { signal: stop.signal, ref: false }).catch(
      () => undefined,
    );
    if (stop.signal.aborted) return false;
    if (await isResponsive(guest, limits.blockedMs)) continue;
    // Checked twice: this process itself may have been suspended.
    if (stop.signal.aborted || (await isResponsive(guest, limits.livenessEveryMs))) continue;
    return !stop.signal.aborted;
  }
  return false;
}

async function isResponsive(guest: WatchedGuest, limitMs: number): Promise<boolean> {
  try {
    await guest.process.agents.health(AbortSignal.timeout(limitMs));
    return true;
  } catch {
    return guest.process.hasExited; // an exit is handled elsewhere
  }
}
