/**
 * The engine's side of a process: the external storage, the engine, and the room that works with its threads. A service
 * and a command that moves threads open it.
 */
import type { InstanceLock } from '../config/instance-lock.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { EngineRoom } from '../engine/engine-room.ts';
import { reachEngine, type ReachedEngine } from '../engine/server/reach-engine.ts';
import { installEngineRuntime } from '../engine/worker/thread-worker.ts';
import { workflowBundle } from '../engine/worker/workflow-bundle.ts';
import type { RunId } from '../model/ids.ts';
import type { RunStatus } from '../model/run/run.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import { openExternalStorage, type ExternalStorage } from '../storage/external-storage.ts';
import { claimStorage } from '../storage/open-storage.ts';

/** The open parts. Filled during the opening, so that the parts of a failed start can be closed. */
export interface EngineSide {
  storage?: ExternalStorage | undefined;
  engine: ReachedEngine;
  room: EngineRoom;
}

export interface EngineSideOptions {
  lock: InstanceLock;
  /** Callers of the API must authenticate. */
  isGuarded: boolean;
  /** Absent: it is reached or started now. */
  engine?: Promise<ReachedEngine>;
  metrics: Metrics;
  tracing?: Tracing;
  logger: Logger;
  signal: AbortSignal;
  onProgress(step: string): void;
  /** Reports something unusual about the engine in one sentence. */
  onWarning(sentence: string): void;
  /** Called before the engine is started or reached. */
  onEngine?(): void;
  /** Called when the engine is reached; resolves when threads may be opened. */
  onThreads?(): Promise<void>;
  onRunSettled(runId: RunId): void;
  /** A thread of this process reports how a run has settled. */
  onRunStatus?(runId: RunId, status: RunStatus): void;
}

/** Opens the engine's side into `open`. Rejects with a ServiceError; `open` then has the parts that were opened. */
export async function openEngineSide(
  config: ServiceConfig,
  options: EngineSideOptions,
  open: Partial<EngineSide>,
): Promise<EngineSide> {
  installEngineRuntime(options.logger);
  const { lock, isGuarded, metrics, tracing, logger, signal, onProgress } = options;
  const { dataDir, cacheDir } = config;
  const { target, namespace, taskQueue, runRestart } = config.engine;
  const bundling = workflowBundle(onProgress);
  bundling.catch(() => undefined); // awaited below, unless the engine fails first
  const storage = await openExternalStorage(config, metrics, logger);
  open.storage = storage;
  options.onEngine?.();
  const reaching =
    options.engine ??
    reachEngine({
      settings: config.engine,
      ...{ isGuarded, dataDir, cacheDir, metrics, logger, onProgress, signal },
    });
  const engine = await reaching;
  open.engine = engine;
  const bundlePath = await bundling;
  await options.onThreads?.();
  const room = await EngineRoom.open({
    address: engine.address,
    identity: lock.instanceId,
    ...(engine.auth && { auth: engine.auth }),
    isForeign: target !== undefined,
    onWarning: options.onWarning,
    ...{ namespace, taskQueue, dataDir, bundlePath, metrics },
    disk: engine.disk,
    ceilings: { ...config.engine, isExternal: storage !== undefined },
    ...(storage && { externalPayloads: storage.payloads }),
    restart: runRestart,
    ...(tracing && { tracing }),
    onRunSettled: options.onRunSettled,
    ...(options.onRunStatus && { onRunStatus: options.onRunStatus }),
  });
  open.room = room;
  if (storage) await claimStorage(storage.backend, await room.references.engineId());
  return { storage, engine, room };
}
