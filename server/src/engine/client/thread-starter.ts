import { setTimeout as pause } from 'node:timers/promises';
import {
  defineSearchAttributeKey,
  TypedSearchAttributes,
  type SearchAttributePair,
} from '@temporalio/common';
import { ServiceError } from '../../errors/service-error.ts';
import { packFrame } from '../../model/frame.ts';
import type { ThreadId } from '../../model/ids.ts';
import {
  agentToken,
  memoOf,
  metadataTokens,
  type ThreadMemo,
} from '../../model/thread/thread-index.ts';
import { runIndex } from '../../model/thread/thread-state.ts';
import type { ThreadSettings } from '../../model/thread/thread-record.ts';
import type { ThreadStart } from '../../model/thread/thread-wire.ts';
import type { RunIndex, ThreadStatus, ThreadView } from '../../model/thread/thread.ts';
import { noTracing, traced, type Tracing } from '../../observability/tracing.ts';
import { callWithRetries } from './calls.ts';
import { ENGINE_CALL_MS, type EngineConnection } from './connection.ts';
import { isAlreadyStarted, isGone, toServiceError } from './failures.ts';
import type { CreationMark } from '../requests.ts';
import { workflowIdOf } from './thread-client.ts';

const THREAD_STATUS = defineSearchAttributeKey('ThreadStatus', 'KEYWORD');
const THREAD_META = defineSearchAttributeKey('ThreadMeta', 'KEYWORD_LIST');
const RUN_STATUS = defineSearchAttributeKey('RunStatus', 'KEYWORD');
const RUN_AGENT = defineSearchAttributeKey('RunAgent', 'KEYWORD');
const EPHEMERAL = defineSearchAttributeKey('Ephemeral', 'BOOL');

/** The memo with the mark of a thread's creation. It is kept when the thread continues in another execution. */
const MARK = 'idempotency';

/** A workflow task of a lost worker is given to another one after this long. */
const WORKFLOW_TASK_TIMEOUT = '5s';

/** Deleting takes the engine some 15 ms; a removal that takes this long has failed. */
const REMOVE_PATIENCE_MS = 10_000;
const REMOVE_POLL_MS = 5;

/** What a start passes to the engine about a thread, besides its frame. */
interface StartedThread extends ThreadMemo {
  threadId: string;
  isEphemeral: boolean;
  publishedStatus: ThreadStatus;
  publishedRun: RunIndex;
  mark?: CreationMark | undefined;
}

/** Starts and removes the workflows of threads. */
export class ThreadStarter {
  readonly #connection: EngineConnection;
  readonly #taskQueue: string;
  readonly #tracing: Tracing;

  constructor(connection: EngineConnection, taskQueue: string, tracing: Tracing = noTracing) {
    this.#connection = connection;
    this.#tracing = tracing;
    this.#taskQueue = taskQueue;
  }

  /** Starts a thread; its first task goes straight to this process. `thread_exists` when the id is taken. */
  async start(start: ThreadStart, mark?: CreationMark): Promise<void> {
    const frame = packFrame(start);
    const thread = startedThread(start);
    try {
      const attributes = { thread_id: thread.threadId };
      await traced(this.#tracing, 'start thread', { kind: 'client', attributes }, () =>
        callWithRetries((attempt) =>
          // Over the worker's connection, which has no limit itself.
          this.#connection.native.withDeadline(Date.now() + ENGINE_CALL_MS, () =>
            this.#startOnce({ ...thread, mark }, frame, attempt > 0),
          ),
        ),
      );
    } catch (error) {
      if (!isAlreadyStarted(error)) throw toServiceError(error, thread.threadId);
      throw new ServiceError('thread_exists', `A thread with the id ${thread.threadId} exists.`, {
        cause: error,
      });
    }
  }

  async #startOnce(thread: StartedThread, frame: Uint8Array, isRepeated: boolean): Promise<void> {
    try {
      await this.#connection.starter.workflow.start('threadWorkflow', {
        workflowId: workflowIdOf(thread.threadId),
        taskQueue: this.#taskQueue,
        args: [frame],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        requestEagerStart: true,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: THREAD_STATUS, value: thread.publishedStatus },
          { key: EPHEMERAL, value: thread.isEphemeral },
          ...indexPairs(thread),
        ]),
        memo: {
          ...(thread.mark && { [MARK]: thread.mark }),
          ...(!thread.isEphemeral && memoOf(thread)),
        },
      });
    } catch (error) {
      // Only we use the id of a stateless run's thread, so the previous call started it. An id made from a key may be
      // in use by another request.
      const isOurs = thread.isEphemeral && !thread.mark;
      if (isRepeated && isOurs && isAlreadyStarted(error)) return;
      throw error;
    }
  }

  /**
   * Removes a thread, running or not: `onAccepted` is called as soon as the engine has accepted the removal. Resolves
   * when the engine no longer knows it, so that its id is free.
   */
  async remove(threadId: ThreadId, onAccepted?: () => void): Promise<void> {
    const { client, namespace } = this.#connection;
    const workflowExecution = { workflowId: workflowIdOf(threadId) };
    const service = client.workflowService;
    try {
      await callWithRetries(() =>
        service.deleteWorkflowExecution({ namespace, workflowExecution }),
      );
    } catch (error) {
      throw toServiceError(error, threadId);
    }
    onAccepted?.();
    const end = performance.now() + REMOVE_PATIENCE_MS;
    while (performance.now() < end) {
      if (await this.#isGone(workflowExecution)) return;
      await pause(REMOVE_POLL_MS);
    }
    throw new ServiceError('engine_unavailable', 'The engine did not remove the thread in time.');
  }

  /** Resolves when the workflow of a thread has ended. Rejects when it is gone. */
  async untilEnd(threadId: ThreadId): Promise<void> {
    const { native, starter } = this.#connection;
    await callWithRetries(() =>
      native.withDeadline(Date.now() + ENGINE_CALL_MS, () =>
        starter.workflow.getHandle(workflowIdOf(threadId)).result(),
      ),
    );
  }

  /** The mark that a thread was started with, running or not. */
  async readMark(threadId: ThreadId): Promise<CreationMark | undefined> {
    const handle = this.#connection.client.workflow.getHandle(workflowIdOf(threadId));
    try {
      const { memo } = await callWithRetries(() => handle.describe());
      return memo?.[MARK] as CreationMark | undefined; // written by `start` alone
    } catch (error) {
      if (isGone(error)) return undefined;
      throw toServiceError(error, threadId);
    }
  }

  /** Whether the engine knows a thread with that id, running or not. */
  async exists(threadId: ThreadId): Promise<boolean> {
    const { client, namespace } = this.#connection;
    const execution = { workflowId: workflowIdOf(threadId) };
    try {
      await callWithRetries(() =>
        client.workflowService.describeWorkflowExecution({ namespace, execution }),
      );
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw toServiceError(error, threadId);
    }
  }

  async #isGone(execution: { workflowId: string }): Promise<boolean> {
    const { client, namespace } = this.#connection;
    try {
      await client.workflowService.describeWorkflowExecution({ namespace, execution });
      return false;
    } catch (error) {
      return isGone(error);
    }
  }
}

type NewThread = Extract<ThreadStart, { kind: 'new' }> & { threadId: ThreadId };

/** The start of a thread that is created now, without metadata. */
export function newThread(threadId: ThreadId, settings: ThreadSettings): NewThread {
  const createdAt = Date.now();
  return { kind: 'new', threadId, isEphemeral: false, createdAt, metadata: {}, settings };
}

/** The settings of a thread that retains another number of checkpoints; undefined: the same. */
export function retaining(settings: ThreadSettings, history: number | undefined): ThreadSettings {
  return history === undefined ? settings : { ...settings, maxCheckpointHistory: history };
}

/** A thread that has just been started, without a run. */
export function newThreadView(start: NewThread): ThreadView {
  const { threadId, createdAt, metadata, owner, origin, jsonKeys } = start;
  return {
    ...{ threadId, createdAt, updatedAt: createdAt, metadata },
    status: 'idle',
    ...(owner !== undefined && { owner }),
    ...(origin && { origin }),
    ...(jsonKeys && { jsonKeys }),
  };
}

function startedThread(start: ThreadStart): StartedThread {
  if (start.kind === 'continued') return start.snapshot.thread;
  const publishedRun = runIndex(undefined, start.carried?.agentId);
  return { ...start, publishedStatus: 'idle', publishedRun };
}

/** Threads of stateless runs are not searchable. */
function indexPairs({
  isEphemeral,
  publishedRun: { runStatus, agentId },
  metadata,
}: StartedThread): SearchAttributePair[] {
  if (isEphemeral) return [];
  const tokens = metadataTokens(metadata);
  return [
    { key: RUN_STATUS, value: runStatus },
    ...(agentId === undefined ? [] : [{ key: RUN_AGENT, value: agentToken(agentId) }]),
    ...(tokens.length === 0 ? [] : [{ key: THREAD_META, value: tokens }]),
  ];
}
