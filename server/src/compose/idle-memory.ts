/*
 * V8 leaves garbage where it is while nothing allocates, and the allocator keeps what is freed: a service that had been
 * busy kept 200 MB of both (docs/performance.md). So both are given back when the service comes to rest.
 */
import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';
import { returnFreedMemory } from './freed-memory.ts';

/** At rest for two looks, so that the first collection comes within two seconds of a start. */
const LOOK_EVERY_MS = 500;
const QUIET_LOOKS = 2;
/** The share of a look's time in which JavaScript may run at rest. */
const QUIET_UTILIZATION = 0.1;

/** A collection takes some 150 ms of processor time, in which requests wait. */
const WORTH_BYTES = 8 * 1024 ** 2;
const COLLECT_EVERY_MS = 10_000;
/** What a timer forgets, such as the events of ended runs, allocates nothing that would show it. */
const COLLECT_AGAIN_MS = 11 * 60_000;

export interface IdleMemoryOptions {
  /** False while something runs that a pause would delay. */
  isAtRest(): boolean;
  /** Has the other threads of the process collect. */
  collectOthers(): void;
  lookEveryMs?: number;
  collectEveryMs?: number;
}

/** Gives memory back each time the process comes to rest, until it is closed. */
export function freeMemoryAtRest(options: IdleMemoryOptions): { close(): void } {
  const { lookEveryMs = LOOK_EVERY_MS, collectEveryMs = COLLECT_EVERY_MS, ...parts } = options;
  const memory = new IdleMemory({ ...parts, collectEveryMs });
  const timer = setInterval(() => memory.look(), lookEveryMs).unref();
  return { close: () => clearInterval(timer) };
}

class IdleMemory {
  readonly #options: IdleMemoryOptions & { collectEveryMs: number };
  readonly #collectGarbage = loadCollector();
  #utilization = performance.eventLoopUtilization();
  #quietLooks = 0;
  /** What was held after the last collection. */
  #leftBytes = 0;
  #collectedAt = Number.NEGATIVE_INFINITY;
  /** Collected, by other threads perhaps only now, and not returned to the system. */
  #hasFreed = false;

  constructor(options: IdleMemoryOptions & { collectEveryMs: number }) {
    this.#options = options;
  }

  look(): void {
    const isQuiet = this.#usedSinceLook() < QUIET_UTILIZATION && this.#options.isAtRest();
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    if (this.#quietLooks < QUIET_LOOKS) return;
    this.#quietLooks = 0;
    if (this.#isWorthIt()) this.#collect();
    else if (this.#hasFreed) {
      this.#hasFreed = false;
      void returnFreedMemory();
    }
  }

  #usedSinceLook(): number {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization);
    this.#utilization = now;
    return utilization;
  }

  #isWorthIt(): boolean {
    const since = performance.now() - this.#collectedAt;
    if (since < this.#options.collectEveryMs) return false;
    if (since > COLLECT_AGAIN_MS) return true;
    return heldBytes() - this.#leftBytes >= WORTH_BYTES;
  }

  #collect(): void {
    this.#options.collectOthers();
    this.#collectGarbage({ type: 'major', flavor: 'last-resort' });
    this.#leftBytes = heldBytes();
    this.#collectedAt = performance.now();
    this.#hasFreed = true;
    this.#usedSinceLook(); // the collection itself does not count
  }
}

/** What the heap has of the system, used or not, with its buffers. */
function heldBytes(): number {
  const { total_heap_size: heap, external_memory: buffers } = v8.getHeapStatistics();
  return heap + buffers;
}

/**
 * V8's extension, which only contexts have that are made while the flag is set. `last-resort` also gives up compiled
 * code that was not needed lately, and fragmented pages: 18 MB more of a service that has just started.
 */
function loadCollector(): (options: { type: 'major'; flavor: 'last-resort' }) => void {
  v8.setFlagsFromString('--expose-gc');
  try {
    return vm.runInNewContext('gc') as ReturnType<typeof loadCollector>;
  } catch {
    return () => undefined; // a V8 without it, which collects as it likes
  } finally {
    v8.setFlagsFromString('--no-expose-gc');
  }
}
