/*
 * One warm process per language runs many runs; `guest/pool/guest-pool.ts` replaces one that exits. A run whose attempt
 * crashed gets its own guest for the next attempts, so that it cannot crash other runs; with `guest.isolation` every
 * run or every thread has its own (`guest/pool/own-guests.ts`, which bounds both and keeps those of threads warm). Host
 * and guest use gRPC over unix sockets in a private folder; a run's token gives access to its thread only.
 *
 * Two things differ from the first plan. Writes of all runs of a guest share one stream (`Checkpoints.Write`), in
 * order and without a call for each: a call costs both sides some 0.4 ms, and a graph of one node makes five writes.
 * And the root's head is sent with `Invoke`, so that the first load costs nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { DebugLaunch, DebugLink } from '../debug/debugging.ts';
import { GuestProcess, type GuestProcessOptions } from '../process/guest-process.ts';
import type { GuestLanguage, GuestProgram } from './guest-program.ts';
import type { GuestLimits } from '../limits.ts';
import { becomesBlocked } from './liveness.ts';
import { OwnGuests } from './own-guests.ts';
import { becomesStuck } from './stuck.ts';
import { WaitQueue } from './wait-queue.ts';
import { WarmGuest } from './warm-guest.ts';

export interface GuestLaneOptions {
  language: GuestLanguage;
  /** Shared guests to keep warm. */
  size: number;
  /** Prepares the program to start; called again after every failure and every reload. */
  prepare: (signal: AbortSignal, debug?: DebugLaunch) => Promise<GuestProgram>;
  process: GuestProcessOptions;
  /** Awaited before a warm guest gets its first run. */
  greet: (guest: GuestProcess) => Promise<void>;
  limits: GuestLimits;
  /** A guest gave no sign of life and is killed. */
  onStuck?: () => void;
  /** A guest could not be started, and no other one is there: its reason. */
  onUnavailable?: (reason: string) => void;
}

/** The guests of one language: some warm ones that many runs share, and single ones on request. */
export class GuestLane {
  readonly #options: GuestLaneOptions;
  readonly #stop = new AbortController();
  readonly #ready = new Set<WarmGuest>();
  /** All running guests, including those that take no new runs any more. */
  readonly #alive = new Set<GuestProcess>();
  readonly #waiting = new WaitQueue<WarmGuest>();
  readonly #keepers: Promise<void>[] = [];
  #program: Promise<GuestProgram> | undefined;
  #generation = 0;
  #reason: string;
  /** Number of guests that were replaced because they do not respond, and still run. */
  #blocked = 0;
  /** Guests of a single run or thread. */
  readonly #own: OwnGuests;
  /** While set, one guest serves all runs, under a debugger. */
  #debug: DebugLink | undefined;
  #debugged: GuestProcess | undefined;
  /** Waiters for the start or stop of debugging, or for the close of the lane. */
  readonly #modeChange = new WaitQueue<undefined>();

  constructor(options: GuestLaneOptions) {
    this.#options = options;
    const start = (signal: AbortSignal): Promise<GuestProcess> => this.#startGuest(signal);
    this.#own = new OwnGuests({ limits: options.limits, start });
    this.#reason = `The ${options.language} guest is starting.`;
  }

  /** Starts the warm guests, and a new one whenever one is retired or exits. */
  start(): void {
    for (let i = 0; i < this.#options.size; i += 1) this.#keepers.push(this.#keepWarm(i === 0));
  }

  /** The reason why no guest is available now. */
  get trouble(): string | undefined {
    return [...this.#ready].some((guest) => !guest.process.hasExited) ? undefined : this.#reason;
  }

  /** Processes that take new runs, and all others: those that start, finish their runs, or serve one run. */
  counts(): { ready: number; other: number } {
    const ready = [...this.#ready].filter((guest) => !guest.process.hasExited).length;
    return { ready, other: this.pids().length - ready };
  }

  pids(): number[] {
    return [...this.#alive].filter((guest) => !guest.hasExited).map((guest) => guest.pid);
  }

  /** The least busy warm guest, or the next one that becomes ready. Release it afterwards. */
  async acquire(signal: AbortSignal): Promise<WarmGuest> {
    let best: WarmGuest | undefined;
    for (const guest of this.#ready) {
      if (guest.process.hasExited) continue;
      if (!best || guest.active < best.active) best = guest;
    }
    const { acquireMs, debugWaitMs } = this.#options.limits;
    const limitMs = this.#debug ? debugWaitMs : acquireMs;
    const guest = best ?? (await this.#waiting.wait(signal, limitMs));
    guest.take();
    return guest;
  }

  /** A guest for one run, closed when it is released. At most `isolatedAtOnce` exist; further runs wait. */
  async acquireForRun(signal: AbortSignal): Promise<WarmGuest> {
    return await this.#acquireOwn(signal, () => this.#own.startForRun(signal));
  }

  /** The guest of a thread, which no other thread uses; it stays warm for `threadIdleMs`. Counts with those of runs. */
  async acquireForThread(threadId: ThreadId, signal: AbortSignal): Promise<WarmGuest> {
    const start = (): Promise<WarmGuest> => this.#own.startForThread(threadId, signal);
    return this.#own.takeOfThread(threadId) ?? (await this.#acquireOwn(signal, start));
  }

  /** For reads and updates of a thread between its runs: its own guest if that is warm, otherwise a shared one. */
  async acquireToRead(threadId: ThreadId, signal: AbortSignal): Promise<WarmGuest> {
    return this.#own.takeOfThread(threadId) ?? (await this.acquire(signal));
  }

  /** From now on runs go to newly started guests; the old ones finish their runs. */
  reload(): void {
    this.#generation += 1;
    this.#program = undefined;
    this.#reason = `The ${this.#options.language} guest is starting.`;
    const old = [...this.#ready];
    this.#ready.clear();
    for (const guest of old) guest.retire();
    this.#own.retireAll();
  }

  /** From now on runs go to one guest under this debugger, or to ordinary ones; the old ones finish their runs. */
  debug(link: DebugLink | undefined): void {
    this.#debug = link;
    this.reload();
    this.#modeChange.grantAll(undefined);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#modeChange.grantAll(undefined);
    this.#reason = 'The service is stopping.';
    const stopping = new ServiceError('service_stopping', this.#reason);
    this.#waiting.failAll(stopping);
    this.#own.failWaiting(stopping);
    await Promise.all([...this.#alive].map((guest) => guest.close()));
    await Promise.all(this.#keepers);
    // Starts that were in progress have ended by now, and may have added a guest.
    await Promise.all([...this.#alive].map((guest) => guest.close()));
  }

  async #keepWarm(isFirst: boolean): Promise<void> {
    const { limits } = this.#options;
    let failures = 0;
    for (;;) {
      await this.#mayStart(isFirst);
      if (this.#stop.signal.aborted) return;
      const generation = this.#generation;
      const startedAt = Date.now();
      const debug = this.#debug;
      try {
        const process = await this.#startGuest(this.#stop.signal);
        await this.#options.greet(process);
        const guest = new WarmGuest(process);
        if (generation !== this.#generation) {
          guest.retire(); // the source changed while it was starting
          continue;
        }
        this.#welcome(guest);
        void this.#retireWhenBlocked(guest);
        await guest.retired;
        this.#ready.delete(guest);
        debug?.onRetired(process.pid);
        const isYoung = Date.now() - startedAt < limits.youngMs;
        failures = process.hasExited && isYoung ? failures + 1 : 0;
        if (process.hasExited) this.#reason = await process.exited;
      } catch (error) {
        failures += 1;
        this.#fail(error);
      }
      if (failures > 0) await this.#backOff(failures);
    }
  }

  /** Under a debugger there is one guest, which starts after its predecessor has exited. */
  async #mayStart(isFirst: boolean): Promise<void> {
    while (this.#debug && !this.#stop.signal.aborted) {
      const before = this.#debugged;
      if (isFirst && (!before || before.hasExited)) return;
      const changed = this.#modeChange.wait(new AbortController().signal);
      await (isFirst && before ? Promise.race([before.exited, changed]) : changed);
    }
  }

  async #startGuest(signal: AbortSignal): Promise<GuestProcess> {
    const combined = AbortSignal.any([signal, this.#stop.signal]);
    const debug = this.#debug;
    this.#program ??= this.#options.prepare(this.#stop.signal, debug?.launch);
    let program: GuestProgram;
    try {
      program = await this.#program;
    } catch (error) {
      this.#program = undefined;
      throw error;
    }
    const options = { ...this.#options.process, ...(debug && { debug }) };
    const guest = await GuestProcess.start(program, options, combined);
    if (debug) this.#debugged = guest;
    this.#alive.add(guest);
    // Its folder and sockets are removed also when it exits by itself.
    void guest.exited.then(async () => {
      await guest.close();
      this.#alive.delete(guest);
    });
    void this.#killWhenStuck(guest);
    return guest;
  }

  /** For guests of every kind, also while they finish their runs. */
  async #killWhenStuck(guest: GuestProcess): Promise<void> {
    const { language, limits, process, onStuck } = this.#options;
    if (!(await becomesStuck(guest, limits))) return;
    const silent = `The ${language} guest gave no sign of life for ${limits.stuckAfterMs / 1000} s`;
    process.logger.error(
      { language, pid: guest.pid },
      'a guest gave no sign of life and is killed',
    );
    onStuck?.();
    await guest.killStuck(`${silent} (guest.stuck_after) and was killed.`);
  }

  /** Its runs stay and continue when it does; new ones get a fresh guest. */
  async #retireWhenBlocked(guest: WarmGuest): Promise<void> {
    const { language, limits, process } = this.#options;
    while (await becomesBlocked(guest, limits)) {
      if (this.#blocked >= limits.blockedAtOnce || guest.process.isHeld) continue;
      process.logger.warn({ language, pid: guest.process.pid }, 'a guest is blocked by an agent');
      this.#blocked += 1;
      void guest.process.exited.then(() => (this.#blocked -= 1));
      guest.retire();
      return;
    }
  }

  #welcome(guest: WarmGuest): void {
    this.#ready.add(guest);
    const { language, process } = this.#options;
    process.logger.info({ language, pid: guest.process.pid }, 'guest is ready');
    this.#waiting.grantAll(guest);
  }

  #fail(error: unknown): void {
    const { language, process } = this.#options;
    this.#reason = reasonOf(error);
    if (this.#stop.signal.aborted) return;
    process.logger.error({ language, err: error }, 'guest could not be started');
    this.#debug?.onFailure(this.#reason);
    if (this.#ready.size === 0) {
      this.#options.onUnavailable?.(this.#reason);
      this.#waiting.failAll(new ServiceError('guest_unavailable', this.#reason, { cause: error }));
    }
  }

  async #backOff(failures: number): Promise<void> {
    const { restartMinMs, restartMaxMs } = this.#options.limits;
    const wait = Math.min(restartMaxMs, restartMinMs * 2 ** (failures - 1));
    await delay(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async #acquireOwn(signal: AbortSignal, start: () => Promise<WarmGuest>): Promise<WarmGuest> {
    if (this.#debug) return this.acquire(signal);
    await this.#own.enter(signal);
    if (!this.#debug) return await start();
    // Debugging began while this run waited: only the debugged guest may run.
    this.#own.leave();
    return this.acquire(signal);
  }
}
