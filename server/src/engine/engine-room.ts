/*
 * The durable engine, Temporal, behind one class. `engine.ts` is what the service calls, `client/` makes the calls,
 * `worker/` runs threads in this process, `read/` and `search/` read them, `move/` copies, exports and imports them,
 * `server/` starts our own engine, `disk/` holds back writes that its disk has no space for.
 */
import type { LiveRun } from '../activities/live-run.ts';
import type { RunId } from '../model/ids.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import type { RunStatus } from '../model/run/run.ts';
import type { RestartPolicy } from '../model/run/restarts.ts';
import type { ThreadSettings } from '../model/thread/thread-record.ts';
import type { Metrics } from '../observability/metrics.ts';
import { noTracing, type Tracing } from '../observability/tracing.ts';
import type { ThreadActivities } from '../workflows/activity-types.ts';
import { type CeilingOptions, settleSettings } from './client/ceilings.ts';
import { connectEngine, type EngineAddress, type EngineConnection } from './client/connection.ts';
import { EngineWrites, type EngineMetrics } from './client/engine-writes.ts';
import { checkForeignCluster } from './client/foreign-cluster.ts';
import { type ExternalPayloads, Payloads } from './client/payloads.ts';
import { ThreadClient } from './client/thread-client.ts';
import { ThreadStarter } from './client/thread-starter.ts';
import { type Disk, unknownDisk } from './disk/disk-port.ts';
import { ThreadMover } from './move/thread-mover.ts';
import { EngineReferences } from './move/thread-references.ts';
import { Engine } from './engine.ts';
import { ThreadSearcher } from './search/thread-search.ts';
import { EngineVisibility } from './search/visibility.ts';
import { ProcessRuns } from './worker/process-runs.ts';
import { RunJournal } from './worker/run-journal.ts';
import {
  ActivityCompletion,
  continueCounters,
  type ContinueMetrics,
  StateCommits,
  ThreadCheckpoints,
} from './worker/thread-ports.ts';
import { startThreadWorker, type ThreadWorker } from './worker/thread-worker.ts';

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
  /** A thread of this process reports how a run has settled. */
  onRunStatus?(runId: RunId, status: RunStatus): void;
  /** Reports what a foreign cluster lacks and threads can run without. */
  onWarning?(sentence: string): void;
}

/** The worker of a room once it runs threads. */
export interface StartedRoom {
  /** Attempts of a previous process that were given up. */
  lostAttempts: number;
  /** Rejects when the worker fails; resolves when the room is closed. */
  stopped: Promise<void>;
}

/** The engine, as the rest of the service uses it. Threads run only after `start`. */
export class EngineRoom {
  readonly engine: Engine;
  readonly disk: Disk;
  readonly local: ProcessRuns<LiveRun>;
  readonly checkpoints: ThreadCheckpoints;
  readonly payloads: Payloads;
  readonly references: EngineReferences;
  readonly stateCommits: StateCommits;
  /** The limit of one payload of this engine. */
  readonly payloadBytes: number;
  readonly completion: ActivityCompletion;
  readonly mover: ThreadMover;
  readonly #connection: EngineConnection;
  readonly #options: EngineRoomOptions;
  readonly #journal: RunJournal;
  #worker: ThreadWorker | undefined;

  private constructor(
    connection: EngineConnection,
    options: EngineRoomOptions,
    settings: ThreadSettings,
  ) {
    const { metrics, restart, taskQueue } = options;
    const { tracing = noTracing, disk = unknownDisk } = options;
    this.#connection = connection;
    this.#options = options;
    this.#journal = new RunJournal(options.dataDir, options.identity);
    this.disk = disk;
    this.local = new ProcessRuns<LiveRun>((runId) => options.onRunSettled(runId), this.#journal);
    this.payloads = new Payloads(options.externalPayloads, disk);
    const { local, payloads } = this;
    const limits = deriveLimits(settings);
    this.payloadBytes = limits.payload;
    const onTooLarge = (query: string): void => metrics.queryPayloadLimitExceeded.inc({ query });
    const threads = new ThreadClient(connection, onTooLarge, tracing, disk);
    const starter = new ThreadStarter(connection, taskQueue, tracing);
    this.engine = new Engine({
      ...{ threads, payloads, starter, local, settings, restart },
      searcher: new ThreadSearcher({ visibility: new EngineVisibility(connection), taskQueue }),
      writes: new EngineWrites({ disk, limits, metrics, tracing }),
      isShared: connection.isForeign,
      isHealthy: () => isServing(connection),
    });
    this.checkpoints = new ThreadCheckpoints(threads, payloads, disk);
    this.references = new EngineReferences(connection, threads);
    this.stateCommits = new StateCommits(threads, payloads);
    this.completion = new ActivityCompletion(connection, disk);
    const moved = { threads, starter, payloads, settings, restart };
    this.mover = new ThreadMover({ connection, taskQueue, ...moved });
  }

  /** Connects to an engine. */
  static async open(options: EngineRoomOptions): Promise<EngineRoom> {
    const connection = await connectEngine(options);
    try {
      return new EngineRoom(connection, options, await settle(connection, options));
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Begins to run threads. */
  async start(activities: ThreadActivities): Promise<StartedRoom> {
    const lostAttempts = await this.#journal.failLost(this.#connection);
    const { stopped } = await this.#work(activities);
    return { lostAttempts, stopped };
  }

  /** Begins to serve threads without running attempts, which wait for the next start. */
  async startServing(): Promise<void> {
    await this.#work();
  }

  /** Has the threads of workflow code collect their garbage. */
  collectGarbage(): void {
    this.#worker?.collectGarbage();
  }

  async close(): Promise<void> {
    this.disk.abandon();
    await this.#worker?.close();
    await this.#connection.close();
  }

  async #work(activities?: ThreadActivities): Promise<ThreadWorker> {
    const { metrics, taskQueue, bundlePath } = this.#options;
    this.#worker = await startThreadWorker({
      connection: this.#connection,
      taskQueue,
      bundlePath,
      ...(activities && { activities }),
      onRunSettled: (runId, status) => {
        metrics.runsSettled.inc({ status });
        this.local.settle(runId, status);
        this.#options.onRunStatus?.(runId, status);
      },
      ...continueCounters(metrics),
      maxConcurrentRuns: MAX_CONCURRENT_RUNS,
      maxThreadsInMemory: MAX_THREADS_IN_MEMORY,
    });
    return this.#worker;
  }
}

/** The settings of new threads here. */
async function settle(
  connection: EngineConnection,
  options: EngineRoomOptions,
): Promise<ThreadSettings> {
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
