import type { RunId } from '../model/ids.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import type { RestartPolicy } from '../model/run/restarts.ts';
import type { Metrics } from '../observability/metrics.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import type { ThreadActivities } from '../workflows/activity-types.ts';
import { RunJournal } from './worker/run-journal.ts';
import { type CeilingOptions, settleSettings } from './client/ceilings.ts';
import {
  continueCounters,
  type ContinueMetrics,
  createCompletion,
  createStateCommits,
  createThreadCheckpoints,
  type StateCommits,
} from './worker/thread-ports.ts';
import { connectEngine, type EngineAddress, type EngineConnection } from './client/connection.ts';
import { checkForeignCluster } from './client/foreign-cluster.ts';
import { type EngineMetrics, measuredEngine, tracedEngine } from './client/measured-engine.ts';
import { admittingEngine, patientPayloads } from './disk/admitting-engine.ts';
import { type Disk, unknownDisk } from './disk/disk-port.ts';
import { ProcessRuns } from './worker/process-runs.ts';
import type { EnginePort } from './port.ts';
import { createPayloads, type ExternalPayloads } from './client/payloads.ts';
import type { CheckpointPort } from '../model/checkpoint/checkpoint-port.ts';
import type { PayloadPort } from '../model/checkpoint/payload-port.ts';
import { createTemporalEngine } from './client/temporal-engine.ts';
import { ThreadClient } from './client/thread-client.ts';
import { createThreadMover, type ThreadMover } from './move/thread-mover.ts';
import type { ThreadReferences } from '../model/thread/thread-references.ts';
import { createThreadReferences } from './move/thread-references.ts';
import { createThreadSearcher } from './search/thread-search.ts';
import { ThreadStarter } from './client/thread-starter.ts';
import { startThreadWorker, type ThreadWorker } from './worker/thread-worker.ts';
import { createVisibility } from './search/visibility.ts';

/** Runs at once in this process; more wait in the engine. */
const MAX_CONCURRENT_RUNS = 200;

/**
 * Threads that stay in memory; the least recently used one is evicted first and is replayed when it is used again. Each
 * costs about 1 MB, deleted ones too, and the SDK's default is 2,300. Twice the concurrent runs, for reads.
 */
const MAX_THREADS_IN_MEMORY = 2 * MAX_CONCURRENT_RUNS;

/** How long a health check waits for the engine. */
const HEALTH_TIMEOUT_MS = 1_000;

/** The options of the engine's room. */
export interface EngineRoomOptions extends EngineAddress {
  taskQueue: string;
  dataDir: string;
  /** The disk that the engine writes to. Absent: nothing is known of it. */
  disk?: Disk;
  bundlePath: string;
  ceilings: CeilingOptions;
  restart: RestartPolicy;
  /** Absent: every payload is stored within its thread. */
  externalPayloads?: ExternalPayloads;
  metrics: EngineMetrics &
    ContinueMetrics &
    Pick<Metrics, 'runsSettled' | 'queryPayloadLimitExceeded'>;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** A run has settled: it produces nothing more. */
  onRunSettled(runId: RunId): void;
  /** Reports what a foreign cluster lacks and threads can run without. */
  onWarning?(sentence: string): void;
}

/** The engine, as the rest of the service uses it. */
export interface EngineRoom {
  port: EnginePort;
  disk: Disk;
  local: ProcessRuns;
  checkpoints: CheckpointPort;
  payloads: PayloadPort;
  references: ThreadReferences;
  stateCommits: StateCommits;
  /** The limit of one payload of this engine. */
  payloadBytes: number;
  completion: ReturnType<typeof createCompletion>;
  /** Begins to run threads; returns how many attempts of a previous process were given up. */
  start(activities: ThreadActivities): Promise<{
    lostAttempts: number;
    /** Rejects when the worker fails; resolves when the room is closed. */
    stopped: Promise<void>;
  }>;
  /** Begins to serve threads without running attempts, which wait for the next start. */
  startAnswering(): Promise<void>;
  mover: ThreadMover;
  close(): Promise<void>;
}

/** Connects to an engine. Threads run only after `start`. */
export async function openEngineRoom(options: EngineRoomOptions): Promise<EngineRoom> {
  const connection = await connectEngine(options);
  const settings = await settle(connection, options).catch(async (error) => {
    await connection.close();
    throw error;
  });
  const { metrics } = options;
  const { tracing = noTracing, disk = unknownDisk } = options;
  const onTooLarge = (query: string): void => metrics.queryPayloadLimitExceeded.inc({ query });
  const threads = new ThreadClient(connection, onTooLarge, tracing, disk);
  const limits = deriveLimits(settings);
  const payloads = createPayloads(patientPayloads(options.externalPayloads, disk));
  const journal = new RunJournal(options.dataDir, options.identity);
  const local = new ProcessRuns((runId) => options.onRunSettled(runId), journal);
  const { restart, taskQueue, bundlePath } = options;
  const starter = new ThreadStarter(connection, taskQueue, tracing);
  const visibility = createVisibility(connection);
  let worker: ThreadWorker | undefined;
  async function work(activities?: ThreadActivities): Promise<ThreadWorker> {
    worker = await startThreadWorker({
      connection,
      taskQueue,
      bundlePath,
      ...(activities && { activities }),
      onRunSettled(runId, status) {
        metrics.runsSettled.inc({ status });
        local.settle(runId, status);
      },
      ...continueCounters(metrics),
      maxConcurrentRuns: MAX_CONCURRENT_RUNS,
      maxThreadsInMemory: MAX_THREADS_IN_MEMORY,
    });
    return worker;
  }
  return {
    port: tracedEngine(
      measuredEngine(
        admittingEngine(
          createTemporalEngine({
            threads,
            payloads,
            starter,
            local,
            search: createThreadSearcher({ visibility, taskQueue }),
            settings,
            restart,
            isShared: connection.isForeign,
            isHealthy: () => isServing(connection),
          }),
          disk,
        ),
        limits,
        metrics,
      ),
      tracing,
    ),
    disk,
    local,
    checkpoints: createThreadCheckpoints(threads, payloads, disk),
    payloads,
    references: createThreadReferences(connection, threads),
    payloadBytes: limits.payload,
    stateCommits: createStateCommits(threads, payloads),
    completion: createCompletion(connection, disk),
    async start(activities) {
      const lostAttempts = await journal.failLost(connection);
      const { stopped } = await work(activities);
      return { lostAttempts, stopped };
    },
    startAnswering: async () => void (await work()),
    mover: createThreadMover({
      connection,
      taskQueue,
      threads,
      starter,
      payloads,
      settings,
      restart,
    }),
    async close() {
      disk.abandon();
      await worker?.close();
      await connection.close();
    },
  };
}

async function settle(connection: EngineConnection, options: EngineRoomOptions) {
  const warnings = connection.isForeign ? await checkForeignCluster(connection) : [];
  for (const warning of warnings) options.onWarning?.(warning);
  return settleSettings(connection, options.ceilings);
}

async function isServing({ client, namespace }: EngineConnection): Promise<boolean> {
  try {
    await client.connection.withDeadline(Date.now() + HEALTH_TIMEOUT_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch {
    return false;
  }
}
