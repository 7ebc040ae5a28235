import { v7 as uuidv7 } from 'uuid';
import type { ErrorCode } from '../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { packFrame, unpackFrame } from '../../model/frame.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { QueryTooLarge } from '../../model/thread/thread-wire.ts';
import { readingClient } from '../../observability/reading-client.ts';
import { noTracing, traced, type Tracing } from '../../observability/tracing.ts';
import type { QueryName, UpdateName } from '../../workflows/messages.ts';
import {
  hedge,
  CALL_PATIENCE_MS,
  type CallLimits,
  callWithRetries,
  FULL_DISK_PATIENCE_MS,
  QUERIES_IN_FLIGHT,
  KeyedSemaphore,
} from './calls.ts';
import { endingWith, type EngineConnection } from './connection.ts';
import { type Disk, unknownDisk } from '../disk/disk-port.ts';
import { isGone, toServiceError } from './failures.ts';

/**
 * A query that arrives just as its workflow is evicted may be lost by the SDK ("leftover buffered tasks when evicting
 * run"), and the engine waits 30 s for it. A repeated query gets a response at once. The first one continues alongside:
 * it may only be slow, as the history of a thread that no worker holds in memory is replayed first.
 */
const REPEATED_AT_MS = [2_000, 6_000];
/** The time, counted from the first query, within which a response counts. */
const QUERY_MS = 14_000;
/** A foreign cluster may buffer a single query of a thread: the next one begins when the previous one times out. */
const FIRST_LONE_QUERY_MS = 2_000;

/** Errors that occur only while a run is active. A change of the state checks for itself which change was first. */
const REFUSED_WHILE_ACTIVE: Partial<Record<UpdateName, readonly ErrorCode[]>> = {
  createRun: ['not_interrupted', 'thread_busy'],
  deleteRun: ['run_active'],
};

/**
 * The limit for the response to an Update, also of a thread whose workflow task keeps failing: the engine itself has no
 * limit. Longer than for an unavailable engine, since a thread that no worker holds in memory is replayed first.
 */
export const UPDATE_RESPONSE_MS = 30_000;

/** How long a call may wait. */
export interface CallOptions {
  /** For an engine that is unavailable. */
  patienceMs?: number;
  /** For a thread that does not respond, per attempt. */
  responseMs?: number;
}

const WORKFLOW_PREFIX = 'thread-';

/** The workflow id of a thread. */
export function workflowIdOf(threadId: string): string {
  return WORKFLOW_PREFIX + threadId;
}

/** The thread of a workflow id; undefined for an id that our own workflows do not have. */
export function threadIdOf(workflowId: string): ThreadId | undefined {
  if (!workflowId.startsWith(WORKFLOW_PREFIX)) return undefined;
  return workflowId.slice(WORKFLOW_PREFIX.length) as ThreadId; // was one when the thread was made
}

/** Calls the workflows of threads: packs and unpacks frames, and translates errors. */
export class ThreadClient {
  readonly #connection: EngineConnection;
  readonly #onTooLarge: ((query: QueryName) => void) | undefined;
  readonly #gate = new KeyedSemaphore();
  /** A foreign cluster may buffer a single query of a busy thread (`history.MaxBufferedQueryCount`). */
  readonly #queries: KeyedSemaphore;

  readonly #tracing: Tracing;
  readonly #disk: Pick<Disk, 'isFull'>;

  /** `onTooLarge` is called for every query whose response the engine could not carry. */
  constructor(
    connection: EngineConnection,
    onTooLarge?: (query: QueryName) => void,
    tracing: Tracing = noTracing,
    disk: Pick<Disk, 'isFull'> = unknownDisk,
  ) {
    this.#connection = connection;
    this.#tracing = tracing;
    this.#disk = disk;
    this.#queries = new KeyedSemaphore({ maxCalls: connection.isForeign ? 1 : QUERIES_IN_FLIGHT });
    this.#onTooLarge = onTooLarge;
  }

  /**
   * One Update. The thread receives it before a run's end in the same task: when it is refused because of an active
   * run, it is sent once more after a query, to which the thread responds after everything that has arrived.
   */
  async update(
    threadId: ThreadId,
    name: UpdateName,
    argument: unknown,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    try {
      return await this.#updateOnce(threadId, name, argument, options);
    } catch (error) {
      if (!REFUSED_WHILE_ACTIVE[name]?.some((code) => hasCode(error, code))) throw error;
      const firstRun = { limit: 1, offset: 0 };
      const hasResponded = await this.query(threadId, 'runs', firstRun).then(
        () => true,
        () => false,
      );
      if (!hasResponded) throw error;
      return this.#updateOnce(threadId, name, argument, options);
    }
  }

  /** It has an id and is retried with the same id, so the thread applies it once. */
  async #updateOnce(
    threadId: ThreadId,
    name: UpdateName,
    argument: unknown,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const frame = packFrame(argument);
    const updateId = uuidv7();
    const { client } = this.#connection;
    const handle = client.workflow.getHandle(workflowIdOf(threadId));
    const { patienceMs = this.#patienceMs(), responseMs = UPDATE_RESPONSE_MS } = options;
    // Computed for each attempt from the wall clock, because the machine may have slept since.
    const send = (): Promise<Uint8Array> =>
      client.connection.withDeadline(Date.now() + responseMs, () =>
        handle.executeUpdate<Uint8Array, [Uint8Array]>(name, { args: [frame], updateId }),
      );
    const limits = { patienceMs, behindMs: responseMs };
    const call = (): Promise<Uint8Array> => callWithRetries(send, limits);
    try {
      return await this.#traced('update', threadId, name, () =>
        this.#gate.run(threadId, frame.byteLength, call),
      );
    } catch (error) {
      if (isGone(error) && (await this.#exists(threadId))) throw ended(threadId, error);
      throw toServiceError(error, threadId);
    }
  }

  /** One query; its response reflects every acknowledged change. */
  async query<T>(threadId: ThreadId, name: QueryName, argument?: unknown): Promise<T> {
    const { client } = this.#connection;
    const handle = client.workflow.getHandle(workflowIdOf(threadId));
    const args: [] | [Uint8Array] = argument === undefined ? [] : [packFrame(argument)];
    const signal = readingClient();
    try {
      const send = (deadline: number): Promise<Uint8Array> =>
        endingWith(client, signal, () =>
          client.connection.withDeadline(deadline, () =>
            handle.query<Uint8Array, Uint8Array[]>(name, ...args),
          ),
        );
      const limits = { patienceMs: this.#patienceMs(), signal };
      const call = (): Promise<Uint8Array> =>
        this.#connection.isForeign ? queryAlone(send, signal) : queryHedged(send, limits);
      const frame = await this.#traced('query', threadId, name, () =>
        this.#queries.run(threadId, 0, call),
      );
      const result = unpackFrame<T | QueryTooLarge>(frame);
      if (isTooLarge(result)) throw stateTooLarge(result);
      return result;
    } catch (cause) {
      const error = toServiceError(cause, threadId);
      if (error.code === 'state_too_large') this.#onTooLarge?.(name);
      throw error;
    }
  }

  #traced<T>(kind: string, threadId: ThreadId, name: string, call: () => Promise<T>): Promise<T> {
    const attributes = { thread_id: threadId };
    return traced(this.#tracing, `${kind} ${name}`, { kind: 'client', attributes }, call);
  }

  #patienceMs(): number {
    return this.#disk.isFull() ? FULL_DISK_PATIENCE_MS : CALL_PATIENCE_MS;
  }

  async #exists(threadId: ThreadId): Promise<boolean> {
    const { client } = this.#connection;
    try {
      await client.workflow.getHandle(workflowIdOf(threadId)).describe();
      return true;
    } catch {
      return false;
    }
  }
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return isServiceError(error) && error.code === code;
}

type SendQuery<T> = (deadline: number) => Promise<T>;

function queryAlone<T>(send: SendQuery<T>, signal: AbortSignal | undefined): Promise<T> {
  const once = (attempt: number): Promise<T> =>
    send(Date.now() + FIRST_LONE_QUERY_MS * 2 ** attempt);
  return callWithRetries(once, { signal });
}

function queryHedged<T>(send: SendQuery<T>, limits: CallLimits): Promise<T> {
  const deadline = Date.now() + QUERY_MS;
  const once = (): Promise<T> => send(deadline);
  return hedge(() => callWithRetries(once, limits), REPEATED_AT_MS, once);
}

function isTooLarge<T>(result: T | QueryTooLarge): result is QueryTooLarge {
  return typeof result === 'object' && result !== null && 'tooLarge' in result;
}

/** The thread detects this before the engine does, and reports the sizes. */
function stateTooLarge({ tooLarge: { size, limit } }: QueryTooLarge): ServiceError {
  const message = `The thread state is too large to read back: the response is ${size} bytes; the limit is ${limit} bytes.`;
  return new ServiceError('state_too_large', message, { details: { size, limit } });
}

/** The thread of a stateless run stays readable after it has ended, and accepts no change. */
function ended(threadId: ThreadId, cause: unknown): ServiceError {
  const message = `The thread ${threadId} ended with its stateless run and takes no change.`;
  return new ServiceError('thread_stopped', message, { cause });
}
