import type { CreationMark, EnginePort, RowStream } from '../engine/port.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Idempotency } from '../model/idempotency.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import { compositeRunId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { NewRun, RunView } from '../model/run.ts';
import { isSettled } from '../model/run.ts';
import type { Operation, Permission, PolicyPort } from '../policy/port.ts';
import { requirePermission, requirePermissionInThread } from '../policy/require-permission.ts';
import { runResource, threadResource } from '../policy/resources.ts';
import type { StreamPort } from '../streams/port.ts';
import type { AgentDescriptionPort, AgentsPort, AgentVersionPort } from './agents-port.ts';
import { createOnce } from './create-once.ts';
import { givenMetadata, metadataStrings } from './metadata-strings.ts';
import { newRunUuid, newThreadId } from './new-ids.ts';
import type { OutputLine, RunOutputPort } from './run-output-port.ts';
import type { RunRequest } from './run-request.ts';
import { requireTakenInput } from './taken-input.ts';
import { within } from './within.ts';

/** A run by its two halves. */
export interface RunKey {
  threadId: ThreadId;
  runUuid: RunUuid;
}

export interface WaitWindow {
  limitMs: number;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
}

/** Which lines of a run's output. */
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

/** Runs as requests use them (spec: Endpoints, Runs in a thread; Stateless runs and runs by id). */
export interface RunService {
  /** With an idempotency key: the run that was created with it before. */
  create(
    principal: Principal,
    threadId: ThreadId,
    request: RunRequest,
    idempotency?: Idempotency,
  ): Promise<RunView>;
  /** On an ephemeral thread of its own. */
  createStateless(
    principal: Principal,
    request: RunRequest,
    idempotency?: Idempotency,
  ): Promise<RunView>;
  read(principal: Principal, key: RunKey): Promise<RunView>;
  list(
    principal: Principal,
    threadId: ThreadId,
    page: { limit: number; offset: number },
  ): Promise<RowStream<RunView>>;
  /** Answers the settled run; `wait_elapsed` when the window is over first, and the run goes on. */
  wait(run: RunView, window: WaitWindow): Promise<RunView>;
  /** The lines after one of them, as far as they are kept, and how many in between are not. */
  logs(principal: Principal, key: RunKey, page: LogPage): Promise<RunLogs>;
  cancel(principal: Principal, key: RunKey): Promise<RunView>;
  delete(principal: Principal, key: RunKey): Promise<void>;
}

/** Makes the service over its ports. */
export function createRunService(ports: {
  engine: EnginePort;
  policy: PolicyPort;
  agents: AgentsPort;
  descriptions: AgentDescriptionPort;
  streams: StreamPort;
  agentVersion?: AgentVersionPort;
  output: RunOutputPort;
}): RunService {
  const { engine, policy, agents, descriptions, streams, agentVersion, output } = ports;

  /** About a run of a thread that is there. */
  async function permit(
    principal: Principal,
    operation: Operation,
    { threadId, runUuid }: RunKey,
    more: Record<string, unknown> = {},
  ): Promise<Permission> {
    const resource = runResource(threadId, runUuid);
    const given = { run_id: runUuid, ...more };
    return requirePermissionInThread(ports, threadId, { principal, operation, resource, given });
  }

  /** What is asked before a run is made, and the run as the answer wants it. */
  async function permitNew(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    isStateless: boolean,
  ): Promise<NewRun> {
    const run = await newRun(principal, request, key.runUuid);
    const question = {
      principal,
      operation: 'service:run:create' as const,
      resource: runResource(key.threadId, key.runUuid, isStateless ? principal.sub : undefined),
      given: givenOf(run, isStateless ? undefined : key.threadId),
    };
    const { given } = isStateless
      ? await requirePermission(policy, question)
      : await requirePermissionInThread(ports, key.threadId, question);
    // Asks the agent, which whoever may not run it cannot have done.
    if (request.isInputFree !== true) {
      await requireTakenInput(descriptions, agents.resolve(run.agentId), run.start);
    }
    return { ...run, metadata: givenMetadata(given, run.metadata) };
  }

  async function newRun(
    principal: Principal,
    { isInputFree: _, ...request }: RunRequest,
    runUuid: RunUuid,
  ): Promise<NewRun> {
    const { agentId } = agents.resolve(request.agentId);
    const known = await agentVersion?.current();
    return {
      ...request,
      runUuid,
      agentId,
      principal: principal.claims,
      ...(known !== undefined && { agentVersion: known }),
    };
  }

  async function startStateless(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    mark?: CreationMark,
  ): Promise<RunView> {
    const run = await permitNew(principal, request, key, true);
    // Whoever may see the run later is found by what is stamped on it.
    const metadata = policy.permit ? metadataStrings(run.metadata) : {};
    return engine.startStateless(key.threadId, run, mark, metadata);
  }

  return {
    async create(principal, threadId, request, idempotency) {
      const runUuid = newRunUuid();
      const run = await permitNew(principal, request, { threadId, runUuid }, false);
      return engine.createRun(threadId, run, idempotency);
    },

    async createStateless(principal, request, idempotency) {
      if (!idempotency) {
        const key = { threadId: newThreadId(), runUuid: newRunUuid() };
        return startStateless(principal, request, key);
      }
      return createOnce(engine, idempotency, {
        create: (key, mark) => startStateless(principal, request, key, mark),
        async attach(key) {
          await permitNew(principal, request, key, true);
          return engine.readRun(key.threadId, key.runUuid);
        },
      });
    },

    async read(principal, key) {
      await permit(principal, 'service:run:read', key);
      return engine.readRun(key.threadId, key.runUuid);
    },

    async list(principal, threadId, page) {
      const resource = threadResource(threadId);
      const given = { metadata: {} };
      const question = { principal, operation: 'service:run:list' as const, resource, given };
      await requirePermissionInThread(ports, threadId, question);
      return engine.listRuns(threadId, page);
    },

    async wait(run, window) {
      if (isSettled(run.status)) return run;
      const { threadId, runUuid } = run;
      if (window.limitMs > 0) {
        const waited = await within(window.limitMs, window.signal, (signal) =>
          engine.awaitRun(threadId, runUuid, signal),
        );
        if (waited.kind === 'done') return waited.value;
      }
      // Spec: Errors. The run continues and is not cancelled.
      throw new ServiceError('wait_elapsed', 'The wait window elapsed; the run goes on.', {
        details: { run_id: compositeRunId(threadId, runUuid) },
      });
    },

    async logs(principal, key, { after, limit }) {
      await permit(principal, 'service:run:logs', key);
      // Whether there is such a run.
      await engine.readRun(key.threadId, key.runUuid);
      const runId = compositeRunId(key.threadId, key.runUuid);
      const kept = output.read(runId);
      const written = output.written(runId);
      const first = kept[0]?.id ?? written + 1;
      const lines = kept.filter(({ id }) => id > after).slice(0, limit);
      return { lines, dropped: Math.max(0, first - 1 - after) };
    },

    async cancel(principal, key) {
      const given = { action: 'interrupt', metadata: { run_ids: [key.runUuid], status: null } };
      await permit(principal, 'service:run:cancel', key, given);
      return engine.cancelRun(key.threadId, key.runUuid);
    },

    async delete(principal, key) {
      await permit(principal, 'service:run:delete', key);
      await engine.deleteRun(key.threadId, key.runUuid);
      const runId = compositeRunId(key.threadId, key.runUuid);
      streams.remove(runId);
      output.remove(runId);
    },
  };
}

/** A run that is to be made, as handlers of LangGraph's `Auth` find it; inputs are none of their business. */
function givenOf(run: NewRun, threadId: ThreadId | undefined): Record<string, unknown> {
  return {
    thread_id: threadId ?? null,
    assistant_id: run.agentId,
    run_id: run.runUuid,
    status: 'pending',
    metadata: run.metadata,
    prevent_insert_if_inflight: run.multitaskStrategy === 'reject',
    multitask_strategy: run.multitaskStrategy ?? 'enqueue',
    if_not_exists: 'reject',
    after_seconds: (run.afterMs ?? 0) / 1_000,
    kwargs: { config: run.config },
  };
}
