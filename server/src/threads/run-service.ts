import { withDeadline } from '../concurrency/concurrency.ts';
import type { Engine } from '../engine/engine.ts';
import type { CreationMark, RowStream } from '../engine/requests.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { RunRecorder } from '../history/recorder.ts';
import { originOf } from '../history/run-origin.ts';
import { compositeRunId, type ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { isSettled, type NewRun, type RunView } from '../model/run/run.ts';
import type { CancelOptions } from '../model/thread/thread-wire.ts';
import type { Operation, Permission, PolicyPort } from '../policy/port.ts';
import {
  isAlsoPermitted,
  ownedQuestion,
  requirePermissionInThread,
} from '../policy/require-permission.ts';
import { runResource, threadResource } from '../policy/resources.ts';
import type { StreamPort } from '../streams/port.ts';
import type {
  AgentDescriptionPort,
  AgentsPort,
  AgentVersionPort,
  OutputLine,
  RunOutputPort,
  RunSandboxPort,
} from './ports.ts';
import { CreatedRuns } from './created-runs.ts';
import { createOnce } from './create-once.ts';
import { metadataStrings } from './metadata-strings.ts';
import { newRunUuid, newThreadId } from './new-ids.ts';
import { RunAdmission } from './run-admission.ts';
import type { RunCreation, RunKey, RunRequest } from './run-request.ts';

/** Which runs of a list are wanted. */
export interface RunPage {
  limit: number;
  offset: number;
}

export interface WaitWindow {
  limitMs: number;
  /** Fires when the caller stops waiting. */
  signal: AbortSignal;
}

/** Which lines of a run's output are wanted. */
export interface LogPage {
  /** The id of the line before them; 0: from the start. */
  after: number;
  limit: number;
}

export interface RunLogs {
  lines: readonly OutputLine[];
  /** Lines after `after` that are no longer kept. */
  dropped: number;
}

/** What the run history learns here: which runs are accepted, and which are deleted. */
export type HistoryRecorderPort = Pick<
  RunRecorder,
  'created' | 'runDeleted' | 'threadSeen' | 'threadDeleted'
>;

/** What the service needs. */
export interface RunServicePorts {
  engine: Engine;
  policy: PolicyPort;
  agents: AgentsPort;
  descriptions: AgentDescriptionPort;
  streams: StreamPort;
  agentVersion?: AgentVersionPort;
  output: RunOutputPort;
  runSandboxes?: RunSandboxPort;
  history?: { recorder: HistoryRecorderPort } | undefined;
}

/** Runs as requests use them (spec: Endpoints, Runs in a thread; Stateless runs and runs by id). */
export class RunService {
  readonly #ports: RunServicePorts;
  readonly #admission: RunAdmission;
  readonly #created = new CreatedRuns();

  constructor(ports: RunServicePorts) {
    this.#ports = ports;
    this.#admission = new RunAdmission(ports);
  }

  /** With an idempotency key: returns the run created with it before, if the caller may read it. */
  async create(
    principal: Principal,
    threadId: ThreadId,
    request: RunRequest,
    creation: RunCreation = {},
  ): Promise<RunView> {
    const { idempotency, key } = creation;
    const runUuid = key?.runUuid ?? newRunUuid();
    const run = await this.#admission.admit(principal, request, { threadId, runUuid }, creation);
    const before = key && (await this.#madeBefore(key));
    if (before) return before;
    const isShort = creation.isAwaited === true;
    const undo = await creation.note?.({ threadId, runUuid });
    const made = await this.#ports.engine.runs.create(threadId, run, { idempotency, isShort });
    if (made.runUuid !== runUuid) await undo?.();
    // A run of an earlier request with this key needs read permission: in another realm, the same name may be another
    // user.
    if (made.runUuid !== runUuid) await this.#permit(principal, 'service:run:read', made);
    else this.#record(made, run);
    return made;
  }

  /** Runs on its own ephemeral thread. */
  async createStateless(
    principal: Principal,
    request: RunRequest,
    creation: RunCreation = {},
  ): Promise<RunView> {
    const { idempotency } = creation;
    if (creation.key) {
      const { key } = creation;
      return this.#startStateless(principal, request, key, { creation }).catch(
        async (error: unknown) => {
          if (!isServiceError(error) || error.code !== 'thread_exists') throw error;
          return this.#ports.engine.runs.read(key.threadId, key.runUuid);
        },
      );
    }
    if (!idempotency) {
      const runUuid = newRunUuid();
      const ofRun = runUuid as string as ThreadId; // a uuid is a valid thread id
      const key = { threadId: creation.isNamedByRun === true ? ofRun : newThreadId(), runUuid };
      return this.#startStateless(principal, request, key, { creation });
    }
    return createOnce(this.#ports.engine, idempotency, {
      create: (key, mark) => this.#startStateless(principal, request, key, { creation, mark }),
      attach: (key) => this.read(principal, key),
    });
  }

  async read(principal: Principal, key: RunKey): Promise<RunView> {
    await this.#permit(principal, 'service:run:read', key);
    return this.#withSandbox(await this.#ports.engine.runs.read(key.threadId, key.runUuid));
  }

  /** An empty list with a total of 0 when the policy denies reading the thread's runs. */
  async list(principal: Principal, threadId: ThreadId, page: RunPage): Promise<RowStream<RunView>> {
    return (await this.lister(principal, threadId))(page);
  }

  /** Asks the policy once, for a client that lists repeatedly; resolves with the list function. */
  async lister(
    principal: Principal,
    threadId: ThreadId,
  ): Promise<(page: RunPage) => Promise<RowStream<RunView>>> {
    const resource = threadResource(threadId);
    const given = { metadata: {} };
    const question = { principal, operation: 'service:run:list' as const, resource, given };
    await requirePermissionInThread(this.#ports, threadId, question);
    const areVisible = await this.#areRunsVisible(principal, threadId);
    return async (page: RunPage): Promise<RowStream<RunView>> => {
      const { total, items } = await this.#ports.engine.runs.list(threadId, page);
      return areVisible
        ? { total, items: this.#withSandboxes(items) }
        : { total: 0, items: noRuns() };
    };
  }

  /** Resolves when this process creates a run on the thread, or when the time is over, or with the signal. */
  async nextCreated(threadId: ThreadId, { limitMs, signal }: WaitWindow): Promise<void> {
    await this.#created.next(threadId, limitMs, signal);
  }

  /** Resolves with the settled run; rejects with `wait_elapsed` when the window ends first, and the run continues. */
  async wait(run: RunView, window: WaitWindow): Promise<RunView> {
    if (isSettled(run.status)) return this.#withSandbox(run);
    const { threadId, runUuid } = run;
    if (window.limitMs > 0) {
      const waited = await withDeadline(window.limitMs, window.signal, (signal) =>
        this.#ports.engine.runs.whenSettled(threadId, runUuid, signal),
      );
      if (waited.kind === 'done') return this.#withSandbox(waited.value);
    }
    // Spec: Errors. The run continues and is not cancelled.
    throw new ServiceError('wait_elapsed', 'The wait window elapsed; the run continues.', {
      details: { run_id: compositeRunId(threadId, runUuid) },
    });
  }

  /** The lines after `page.after` that are kept, and the number of later lines that are not. */
  async logs(principal: Principal, key: RunKey, { after, limit }: LogPage): Promise<RunLogs> {
    await this.#permit(principal, 'service:run:logs', key);
    // Throws if the run does not exist.
    await this.#ports.engine.runs.read(key.threadId, key.runUuid);
    const runId = compositeRunId(key.threadId, key.runUuid);
    const kept = this.#ports.output.read(runId);
    const written = this.#ports.output.written(runId);
    const first = kept[0]?.id ?? written + 1;
    const lines = kept.filter(({ id }) => id > after).slice(0, limit);
    return { lines, dropped: Math.max(0, first - 1 - after) };
  }

  async cancel(
    principal: Principal,
    key: RunKey,
    how: Pick<CancelOptions, 'isActiveOnly'> = {},
  ): Promise<RunView> {
    const given = { action: 'interrupt', metadata: { run_ids: [key.runUuid], status: null } };
    await this.#permit(principal, 'service:run:cancel', key, given);
    return this.#withSandbox(await this.#ports.engine.runs.cancel(key.threadId, key.runUuid, how));
  }

  /** For a client that has left. The question of a run that has ended remains: the client may have left to answer it. */
  async cancelAbandoned(principal: Principal, key: RunKey): Promise<void> {
    await this.cancel(principal, key, { isActiveOnly: true });
  }

  /**
   * Stops a run and removes it with all that it has done, once it has stopped; the thread is as it was before. A run that
   * has ended is removed as by `delete`.
   */
  async rollBack(principal: Principal, key: RunKey, signal: AbortSignal): Promise<void> {
    const { threadId, runUuid } = key;
    const given = { action: 'rollback', metadata: { run_ids: [runUuid], status: null } };
    await this.#permit(principal, 'service:run:cancel', key, given);
    await this.#permit(principal, 'service:run:delete', key);
    const { runs } = this.#ports.engine;
    const run = await runs.cancel(threadId, runUuid, { isRollback: true });
    const left = isSettled(run.status) ? run : await unlessRemoved(runs, key, signal);
    if (left) await runs.delete(threadId, runUuid).catch(unlessMissing);
    this.#forget(key);
  }

  async delete(principal: Principal, key: RunKey): Promise<void> {
    await this.#permit(principal, 'service:run:delete', key);
    await this.#ports.engine.runs.delete(key.threadId, key.runUuid);
    this.#forget(key);
  }

  #forget(key: RunKey): void {
    const runId = compositeRunId(key.threadId, key.runUuid);
    this.#ports.streams.remove(runId);
    this.#ports.output.remove(runId);
    this.#ports.runSandboxes?.remove(runId);
    this.#ports.history?.recorder.runDeleted(runId);
  }

  /** Requires a permission for a run of an existing thread. */
  async #permit(
    principal: Principal,
    operation: Operation,
    { threadId, runUuid }: RunKey,
    more: Record<string, unknown> = {},
  ): Promise<Permission> {
    const resource = runResource(threadId, runUuid);
    const given = { run_id: runUuid, ...more };
    return requirePermissionInThread(this.#ports, threadId, {
      principal,
      operation,
      resource,
      given,
    });
  }

  async #startStateless(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    { creation, mark }: { creation: RunCreation; mark?: CreationMark },
  ): Promise<RunView> {
    const run = await this.#admission.admitStateless(principal, request, key, creation);
    // Handlers filter runs by the metadata that they stamp, so the thread gets it too.
    const metadata = this.#ports.policy.permit ? metadataStrings(run.metadata) : {};
    // The thread is durable before the first event, unlike a run on an existing one.
    const isShort = creation.isAwaited === true || creation.thenDoes === 'service:run:stream';
    const started = { mark, metadata, isShort };
    const undo = await creation.note?.(key);
    const { runs } = this.#ports.engine;
    const made = await runs.startStateless(key.threadId, run, started).catch(async (error) => {
      if (isServiceError(error) && error.code === 'thread_exists') await undo?.();
      throw error;
    });
    this.#record(made, run);
    return made;
  }

  /** The run with these ids on an existing thread. */
  #madeBefore({ threadId, runUuid }: RunKey): Promise<RunView | undefined> {
    return this.#ports.engine.runs.read(threadId, runUuid).catch(unlessMissing);
  }

  #record(made: RunView, run: NewRun): void {
    this.#created.announce(made.threadId);
    const runId = compositeRunId(made.threadId, made.runUuid);
    this.#ports.history?.recorder.created(runId, () => originOf(made, run), made.status);
  }

  #withSandbox(run: RunView): RunView {
    const sandbox = this.#ports.runSandboxes?.read(compositeRunId(run.threadId, run.runUuid));
    return sandbox ? { ...run, sandbox } : run;
  }

  async *#withSandboxes(runs: AsyncIterable<RunView>): AsyncGenerator<RunView> {
    for await (const run of runs) yield this.#withSandbox(run);
  }

  /** The runs of a thread have one owner and random ids, so one question covers all of them. */
  async #areRunsVisible(principal: Principal, threadId: ThreadId): Promise<boolean> {
    if (this.#ports.policy.permitsEverything === true) return true;
    const resource = runResource(threadId, '*');
    const question = { principal, operation: 'service:run:read' as const, resource };
    return isAlsoPermitted(
      this.#ports.policy,
      await ownedQuestion(this.#ports, threadId, question),
    );
  }
}

/** The run once it has ended; undefined when it was removed as soon as it had. */
async function unlessRemoved(
  runs: Engine['runs'],
  { threadId, runUuid }: RunKey,
  signal: AbortSignal,
): Promise<RunView | undefined> {
  return runs.whenSettled(threadId, runUuid, signal).catch(unlessMissing);
}

function unlessMissing(error: unknown): undefined {
  if (isServiceError(error) && error.code === 'run_not_found') return undefined;
  throw error;
}

async function* noRuns(): AsyncGenerator<never> {}
