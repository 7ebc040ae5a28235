import type { CreationMark, EnginePort, RowStream } from '../engine/port.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Idempotency } from '../model/idempotency.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';
import { compositeRunId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { NewRun, RunView } from '../model/run.ts';
import { isSettled } from '../model/run.ts';
import type { Operation, PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { runResource, threadResource } from '../policy/resources.ts';
import type { StreamPort } from '../streams/port.ts';
import type { AgentsPort, AgentVersionPort } from './agents-port.ts';
import { createOnce } from './create-once.ts';
import { newRunUuid, newThreadId } from './new-ids.ts';
import type { OutputLine, RunOutputPort } from './run-output-port.ts';
import type { RunRequest } from './run-request.ts';
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
  streams: StreamPort;
  agentVersion?: AgentVersionPort;
  output: RunOutputPort;
}): RunService {
  const { engine, policy, agents, streams, agentVersion, output } = ports;

  async function permit(principal: Principal, operation: Operation, key: RunKey): Promise<void> {
    const resource = runResource(key.threadId, key.runUuid);
    await requirePermission(policy, { principal, operation, resource });
  }

  async function newRun(
    principal: Principal,
    request: RunRequest,
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
    await permit(principal, 'service:run:create', key);
    const run = await newRun(principal, request, key.runUuid);
    return engine.startStateless(key.threadId, run, mark);
  }

  return {
    async create(principal, threadId, request, idempotency) {
      const runUuid = newRunUuid();
      await permit(principal, 'service:run:create', { threadId, runUuid });
      return engine.createRun(threadId, await newRun(principal, request, runUuid), idempotency);
    },

    async createStateless(principal, request, idempotency) {
      if (!idempotency) {
        const key = { threadId: newThreadId(), runUuid: newRunUuid() };
        return startStateless(principal, request, key);
      }
      return createOnce(engine, idempotency, {
        create: (key, mark) => startStateless(principal, request, key, mark),
        async attach(key) {
          await permit(principal, 'service:run:create', key);
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
      await requirePermission(policy, { principal, operation: 'service:run:list', resource });
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
      const kept = output.read(key.runUuid);
      const written = output.written(key.runUuid);
      const first = kept[0]?.id ?? written + 1;
      const lines = kept.filter(({ id }) => id > after).slice(0, limit);
      return { lines, dropped: Math.max(0, first - 1 - after) };
    },

    async cancel(principal, key) {
      await permit(principal, 'service:run:cancel', key);
      return engine.cancelRun(key.threadId, key.runUuid);
    },

    async delete(principal, key) {
      await permit(principal, 'service:run:delete', key);
      await engine.deleteRun(key.threadId, key.runUuid);
      streams.remove(key.runUuid);
      output.remove(key.runUuid);
    },
  };
}
