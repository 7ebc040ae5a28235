import type { LocalRuns } from '../engine/worker/local-runs.ts';

const PROGRESS_MS = 250;

/** Waits until no run is active in this process, for at most `drainMs`, and tells how many still are. */
export async function drainRuns(options: {
  local: Pick<LocalRuns, 'idle' | 'activeCount'>;
  drainMs: number;
  onProgress?: (activeRuns: number) => void;
}): Promise<void> {
  const { local, drainMs, onProgress } = options;
  onProgress?.(local.activeCount());
  const progress = setInterval(() => onProgress?.(local.activeCount()), PROGRESS_MS);
  let limit: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (limit = setTimeout(resolve, drainMs)));
  await Promise.race([local.idle(), elapsed]);
  clearInterval(progress);
  clearTimeout(limit);
}

/** Runs every step, also after one that failed; rejects with the first failure. */
export async function closeInOrder(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not everything could be closed.');
}

interface Closable {
  close(): unknown;
}

/** What a service consists of, as far as it has to end. */
interface Running {
  agentApi: { stop(): void };
  listener: { close(options: { drainMs: number }): Promise<void> };
  storage: { payloads: Closable & { abandon(): void } } | undefined;
  room: Closable;
  guests: Closable;
  engine: Closable;
  streams: { shutdown(): void };
  store: Closable;
  policies: Closable;
  metricsListener?: { close(options: { drainMs: number }): Promise<void> };
  metrics: Closable;
  tracing: Closable;
  lock: { release(): void };
}

/** Takes everything down, `requests` being those that were let finish so far. */
export async function takeDown(parts: Running, requests: Promise<void>): Promise<void> {
  const { agentApi, listener, storage, room, guests, engine, streams, store } = parts;
  await closeInOrder([
    () => agentApi.stop(), // before runs that are cut off see their requests fail
    () => Promise.race([requests, listener.close({ drainMs: 0 })]),
    () => storage?.payloads.abandon(),
    () => room.close(),
    () => storage?.payloads.close(),
    () => guests.close(),
    () => engine.close(),
    () => streams.shutdown(),
    () => store.close(),
    () => parts.policies.close(),
    () => parts.metricsListener?.close({ drainMs: 0 }),
    () => parts.metrics.close(),
    () => parts.tracing.close(),
    () => parts.lock.release(),
  ]);
}
