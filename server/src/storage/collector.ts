/*
 * The collector (`storage/collector.ts`) looks at a thread 2 s after it changed, when it is deleted, and in a sweep at
 * the start and every hour. It lists the objects first, then asks the thread for its references (query `references`),
 * and removes objects that are not referenced, were not put or held since the look began (`storage/pins.ts`), and have
 * been unreferenced for 10 s, for reads that began before. An object is held from its put until the thread has
 * responded; when the outcome is unknown, for 2 minutes. If the engine does not respond, or is another one, nothing is
 * removed. Where other services write into the same storage (`engine.target`), only objects older than an hour are
 * removed; a put resets the age of an object.
 *
 * Not by age alone, which would need no holds: an age must exceed the longest way from a put to its reference (a save
 * that is tried for minutes, an import without a limit), and a run that writes 1 MiB a step at 50 steps a second would
 * keep 30 GB of dropped checkpoints for ten minutes.
 */
import type { BlobBackend, ListedObject } from './blob-backend.ts';
import type { Pins } from './pins.ts';
import type { ThreadReferences } from '../model/thread/thread-references.ts';

/** The log of failures in background work. */
export interface StorageLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
}

/** Delay of the look after a change: an active run drops references with every save. */
const LOOK_AFTER_MS = 2_000;

/** How long a dropped object is kept for reads that began before. */
const READ_LINGER_MS = 10_000;

/** Interval of sweeps; the first one runs at the start of the service. */
const SWEEP_EVERY_MS = 60 * 60 * 1_000;

/** After this time a clean thread is looked at again: threads of stateless runs end without a notification. */
const CLEAN_FOR_MS = 24 * 60 * 60 * 1_000;

/** Delay before a failed look or sweep is repeated: the engine or the storage may have been unavailable. */
const RETRY_AFTER_MS = 15_000;

/** Pause between two threads of a sweep: each costs the engine a query, and a sweep is not urgent. */
const SWEEP_PAUSE_MS = 25;

export interface CollectorParts {
  backend: BlobBackend;
  pins: Pins;
  references: Pick<ThreadReferences, 'references'>;
  /** Younger objects are kept: other processes may be about to reference them. */
  graceMs: number;
  logger: StorageLogger;
}

/**
 * Removes unreferenced objects: soon after a thread changed, when it is deleted, and in a sweep over all threads. In
 * doubt it removes nothing: it lists objects first, asks for references afterwards, and keeps what was put or held
 * meanwhile.
 */
export class Collector {
  readonly #parts: CollectorParts;
  /** Threads that have objects, as far as this process knows. */
  readonly #known = new Set<string>();
  /** When a thread that has not changed since was last looked at. */
  readonly #clean = new Map<string, number>();
  readonly #due = new Map<string, NodeJS.Timeout>();
  /** When an object was first seen without a reference, by thread and hash. */
  readonly #dropped = new Map<string, Map<string, number>>();
  readonly #looking = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #sweeping: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** Sweeps now and every hour, in the background. */
  start(): void {
    this.#timer = setInterval(() => this.#startSweep(), SWEEP_EVERY_MS);
    this.#timer.unref();
    this.#startSweep();
  }

  /** An object was added to the thread. */
  added(threadId: string): void {
    this.#known.add(threadId);
    this.#clean.delete(threadId);
  }

  /** The thread may have dropped references: schedules a look. */
  touch(threadId: string): void {
    this.#clean.delete(threadId);
    if (this.#known.has(threadId)) this.#lookIn(threadId, LOOK_AFTER_MS);
  }

  /** The thread was deleted: resolves when its objects are removed, or when that failed. */
  async removeThread(threadId: string): Promise<void> {
    // An earlier look may have found the thread still existing.
    await this.#looking.get(threadId);
    await this.#look(threadId);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    for (const timer of this.#due.values()) clearTimeout(timer);
    this.#due.clear();
    await Promise.all([this.#sweeping, ...this.#looking.values()]);
  }

  #lookIn(threadId: string, delayMs: number): void {
    if (this.#due.has(threadId) || this.#closing.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#due.delete(threadId);
      void this.#look(threadId);
    }, delayMs);
    timer.unref();
    this.#due.set(threadId, timer);
  }

  /** Runs one look per thread at a time. Never rejects. */
  #look(threadId: string): Promise<void> {
    const running = this.#looking.get(threadId);
    if (running) return running;
    const look = this.#collect(threadId)
      .catch((error: unknown) => {
        const { logger } = this.#parts;
        logger.debug({ err: error, thread_id: threadId }, 'payloads could not be collected');
        this.#lookIn(threadId, RETRY_AFTER_MS);
      })
      .finally(() => this.#looking.delete(threadId));
    this.#looking.set(threadId, look);
    return look;
  }

  async #collect(threadId: string): Promise<void> {
    const { backend, pins, references } = this.#parts;
    this.#clean.set(threadId, performance.now());
    const watch = pins.watch(threadId);
    try {
      // The order matters: an object that is referenced after the listing was put after it, or was held when it began.
      const objects = await backend.list(threadId);
      const referenced =
        objects.length === 0 ? new Set<string>() : await references.references(threadId);
      const isGone = referenced === 'gone';
      const unreferenced = isGone ? objects : objects.filter(({ hash }) => !referenced.has(hash));
      const { due, laterMs } = this.#sort(threadId, unreferenced, isGone);
      let left = objects.length;
      for (const { hash } of due) {
        const isRemoved = await pins.remove(watch, { threadId, hash }, () =>
          backend.remove(threadId, hash),
        );
        if (isRemoved) left -= 1;
      }
      if (left === 0 && watch.touched.size === 0) {
        await backend.removeThread(threadId);
        if (watch.touched.size === 0) this.#forget(threadId);
      }
      if (laterMs !== undefined) this.#lookIn(threadId, laterMs);
    } catch (error) {
      this.#clean.delete(threadId);
      throw error;
    } finally {
      watch.stop();
    }
  }

  /** The objects to remove now, and the delay of the next look for those that have to wait. */
  #sort(
    threadId: string,
    unreferenced: readonly ListedObject[],
    isGone: boolean,
  ): { due: ListedObject[]; laterMs: number | undefined } {
    const before = this.#dropped.get(threadId);
    const waiting = new Map<string, number>();
    const now = performance.now();
    let laterMs: number | undefined;
    const due = unreferenced.filter(({ hash, ageMs }) => {
      const since = before?.get(hash) ?? now;
      const lingers = isGone ? 0 : READ_LINGER_MS - (now - since);
      // The age comes from another clock, which may be ahead of ours.
      const waitMs = Math.max(lingers, this.#parts.graceMs - Math.max(0, ageMs));
      if (waitMs <= 0) return true;
      waiting.set(hash, since);
      laterMs = Math.max(laterMs ?? 0, LOOK_AFTER_MS, waitMs);
      return false;
    });
    if (waiting.size > 0) this.#dropped.set(threadId, waiting);
    else this.#dropped.delete(threadId);
    return { due, laterMs };
  }

  #startSweep(): void {
    this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = undefined));
  }

  async #sweep(): Promise<void> {
    const { backend, graceMs, logger } = this.#parts;
    const { signal } = this.#closing;
    try {
      await backend.removeDrafts({ olderThanMs: graceMs });
      for await (const threadId of backend.listThreads()) {
        this.#known.add(threadId);
        // Where other services write too, this process does not know every change.
        if (graceMs === 0 && this.#isClean(threadId)) continue;
        await this.#look(threadId);
        await pause(SWEEP_PAUSE_MS, signal);
        if (signal.aborted) return;
      }
    } catch (error) {
      logger.warn({ err: error }, 'the checkpoint storage could not be swept');
      if (signal.aborted) return;
      this.#retry = setTimeout(() => this.#startSweep(), RETRY_AFTER_MS);
      this.#retry.unref();
    }
  }

  #forget(threadId: string): void {
    this.#known.delete(threadId);
    this.#clean.delete(threadId);
  }

  #isClean(threadId: string): boolean {
    const lookedAt = this.#clean.get(threadId);
    return lookedAt !== undefined && performance.now() - lookedAt < CLEAN_FOR_MS;
  }
}

/**
 * Waits until the time has passed or the signal aborts; never rejects. It uses the global clock, which tests replace.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
