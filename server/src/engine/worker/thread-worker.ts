import { DefaultLogger, type InjectedSinks, Runtime, Worker } from '@temporalio/worker';
import { packFrame, unpackFrame } from '../../model/frame.ts';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { AttemptInput } from '../../model/thread/thread-wire.ts';
import { withoutWrites } from '../../model/run/attempt-end.ts';
import type { RunStatus } from '../../model/run/run.ts';
import type { ThreadActivities } from '../../workflows/activity-types.ts';
import type { ContinueReport, ThreadSinks } from '../../workflows/messages.ts';
import type { EngineConnection } from '../client/connection.ts';
import { withWatchedThreads } from './watched-thread.ts';

/** Without `runShort` every run is left to `runAgent`, of this worker or another one. */
type ServedActivities = Pick<ThreadActivities, 'runAgent'> & Partial<ThreadActivities>;

/** What a worker needs to run threads and their attempts. */
export interface ThreadWorkerParts {
  connection: EngineConnection;
  taskQueue: string;
  bundlePath: string;
  /** Absent: the worker serves threads only, and their attempts wait for another worker. */
  activities?: ServedActivities;
  onRunSettled(runId: RunId, status: RunStatus): void;
  /** A thread continues in a new execution. */
  onContinued?(report: ContinueReport): void;
  /** A thread did not fit into a new execution and was stopped. */
  onBudgetExceeded?(): void;
  /** Runs at once in this process; more wait in the engine. */
  maxConcurrentRuns: number;
  /** Absent: the SDK's default, by the heap's limit. Must exceed the threads at work at once, or reads get lost. */
  maxThreadsInMemory?: number;
}

/** A running worker. `stopped` settles when it ends, and rejects with the reason when it failed. */
export interface ThreadWorker {
  stopped: Promise<void>;
  /** Has the threads of workflow code collect their garbage. */
  collectGarbage(): void;
  close(): Promise<void>;
}

/** Workflow tasks at once beside those in which runs begin: the SDK's default for all. */
const WORKFLOW_TASKS = 40;

/** How long attempts may take to hand over when the worker stops. */
const HAND_OVER = '5s';

/** `runShort` of a worker that begins no run; one that had begun elsewhere has lost its attempt. */
function leaveToActivity(frame: Uint8Array): Promise<Uint8Array> {
  const { isRepeated } = unpackFrame<AttemptInput>(frame);
  const outcome = isRepeated ? 'infra' : 'detached';
  return Promise.resolve(packFrame(withoutWrites(outcome, Date.now())));
}

/** Starts the worker of this process. It serves the thread workflows and runs the agents' attempts. */
export async function startThreadWorker(parts: ThreadWorkerParts): Promise<ThreadWorker> {
  const { connection } = parts;
  const sinks: InjectedSinks<ThreadSinks> = {
    thread: {
      runSettled: {
        fn: (_info, threadId, runUuid, status) => {
          // Both were validated as ids when the run was accepted.
          parts.onRunSettled(compositeRunId(threadId as ThreadId, runUuid as RunUuid), status);
        },
      },
      continued: { fn: (_info, report) => parts.onContinued?.(report) },
      budgetExceeded: { fn: () => parts.onBudgetExceeded?.() },
    },
  };
  const watched = await withWatchedThreads(() =>
    Worker.create({
      connection: connection.native,
      namespace: connection.namespace,
      identity: connection.identity,
      taskQueue: parts.taskQueue,
      workflowBundle: { codePath: parts.bundlePath },
      activities: { runShort: leaveToActivity, ...parts.activities },
      enableNonLocalActivities: parts.activities !== undefined,
      dataConverter: connection.dataConverter,
      sinks,
      maxConcurrentActivityTaskExecutions: parts.maxConcurrentRuns,
      // A short run is one, and occupies its workflow task: the others are for threads that nothing runs on.
      maxConcurrentLocalActivityExecutions: parts.maxConcurrentRuns,
      maxConcurrentWorkflowTaskExecutions: parts.maxConcurrentRuns + WORKFLOW_TASKS,
      ...(parts.maxThreadsInMemory !== undefined && {
        maxCachedWorkflows: parts.maxThreadsInMemory,
      }),
      // A lost worker must be detected soon: see run-journal.ts, "A lost process".
      stickyQueueScheduleToStartTimeout: '1s',
      maxHeartbeatThrottleInterval: '2s',
      shutdownGraceTime: 0,
      shutdownForceTime: HAND_OVER,
    }),
  );
  const { made: worker } = watched;
  if (watched.count === 0) throw new Error('The SDK starts its workflow thread in another way.');
  const stopped = worker
    .run()
    .catch((error: unknown) => {
      if (!watched.hasHung()) throw error;
      const message = 'Workflow code did not return in time, and its thread was ended.';
      throw new Error(message, { cause: error });
    })
    .finally(() => watched.close());
  stopped.catch(() => undefined); // reported through `stopped` itself
  return {
    stopped,
    collectGarbage: () => watched.collectGarbage(),
    async close() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await stopped;
    },
  };
}

/** The part of a logger that `engine` uses; a pino logger is one. */
export interface EngineLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const LEVELS = {
  TRACE: 'debug',
  DEBUG: 'debug',
  // The SDK reports its own state at this level.
  INFO: 'debug',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/**
 * Sets the SDK up for this process, once: its log, that of workflow code included (replay-safe), goes to our logger,
 * and it leaves the process's signals alone, because the service itself shuts down in order.
 */
export function installEngineRuntime(logger: EngineLogger): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      logger[LEVELS[level]]({ ...meta }, message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
  });
}

let isInstalled = false;
