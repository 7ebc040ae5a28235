/*
 * V8 leaves garbage where it is while nothing allocates: of a service that had been busy, 200 MB an hour later
 * (docs/performance.md). So it is collected when the service comes to rest.
 */
import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';

/** At rest for two looks. The first collection then comes within three seconds of a start. */
const LOOK_EVERY_MS = 750;
const QUIET_LOOKS = 2;
/** The share of a look's time in which JavaScript may run at rest. */
const QUIET_UTILIZATION = 0.1;

/** A collection takes some 150 ms of processor time. */
const WORTH_BYTES = 8 * 1024 ** 2;
/** What is forgotten by a timer, such as the events of ended runs, allocates nothing. */
const COLLECT_AGAIN_MS = 11 * 60_000;

export interface IdleMemoryOptions {
  /** False while something runs that a pause would delay. */
  isAtRest(): boolean;
  /** Has the other threads of the process collect. */
  collectOthers(): void;
  lookEveryMs?: number;
}

/** Collects the garbage of the process each time it comes to rest, until it is closed. */
export function collectAtRest(options: IdleMemoryOptions): { close(): void } {
  const { isAtRest, collectOthers, lookEveryMs = LOOK_EVERY_MS } = options;
  const collectGarbage = loadCollector();
  let quietLooks = 0;
  let utilization = performance.eventLoopUtilization();
  let leftBytes = 0;
  let collectedAt = 0;
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const used = performance.eventLoopUtilization(now, utilization).utilization;
    utilization = now;
    quietLooks = used < QUIET_UTILIZATION && isAtRest() ? quietLooks + 1 : 0;
    if (quietLooks < QUIET_LOOKS) return;
    const isDue = performance.now() - collectedAt > COLLECT_AGAIN_MS;
    if (!isDue && heldBytes() - leftBytes < WORTH_BYTES) return;
    collectOthers();
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    leftBytes = heldBytes();
    collectedAt = performance.now();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return { close: () => clearInterval(timer) };
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
  const collector: unknown = vm.runInNewContext('gc');
  v8.setFlagsFromString('--no-expose-gc');
  return collector as ReturnType<typeof loadCollector>;
}
