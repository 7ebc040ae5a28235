import type { ProcessRuns } from '../engine/worker/process-runs.ts';

const PROGRESS_MS = 250;

/** Waits until no run is active in this process, for at most `drainMs`, and reports how many still are. */
export async function drainRuns(options: {
  local: Pick<ProcessRuns, 'idle' | 'activeCount'>;
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

/** Runs every step, also after a failed one; rejects with the first failure. */
async function closeInOrder(steps: readonly (() => unknown)[]): Promise<void> {
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

/** The parts of a service that have to be closed. */
export interface Running {
  idleMemory: Closable;
  agentApi: { stop(): void };
  listener: Listener;
  storage?: { payloads: Closable & { abandon(): void } } | undefined;
  room: Closable;
  guests: Closable;
  engine: Closable;
  /** Closes the engine, also one that is still starting. */
  begun: { closeEngine(): Promise<void> };
  history?: Closable | undefined;
  assistants: Closable;
  /** Makes runs and sends them. */
  background: Closable;
  streams: { shutdown(): void };
  store: Closable;
  policies: Closable;
  metricsListener?: Listener | undefined;
  metrics: Closable;
  tracing: Closable;
  /** Stops watching the sources of the agents. */
  sourceWatch: { abort(): void };
  lock: { release(): void };
}

interface Listener {
  close(options: { drainMs: number }): Promise<void>;
}

/**
 * Closes all open parts, of a service or of a failed start. `requests` are the requests that may finish. The order is
 * defined only here.
 */
export async function takeDown(open: Partial<Running>, requests?: Promise<void>): Promise<void> {
  await closeInOrder([
    () => open.idleMemory?.close(),
    () => open.background?.close(),
    () => open.agentApi?.stop(), // before cut-off runs see their requests fail
    () => Promise.race([open.listener?.close({ drainMs: 0 }), ...(requests ? [requests] : [])]),
    () => open.storage?.payloads.abandon(),
    () => open.room?.close(),
    () => open.storage?.payloads.close(),
    () => open.guests?.close(),
    () => open.engine?.close(),
    () => open.begun?.closeEngine(),
    () => open.history?.close(),
    () => open.assistants?.close(),
    () => open.streams?.shutdown(),
    () => open.store?.close(),
    () => open.policies?.close(),
    () => open.metricsListener?.close({ drainMs: 0 }),
    () => open.metrics?.close(),
    () => open.tracing?.close(),
    () => open.sourceWatch?.abort(),
    () => open.lock?.release(),
  ]);
}
