import { withDeadline } from '../concurrency/concurrency.ts';
import type { CreationMark, EnginePort, RowStream } from '../engine/port.ts';
import { ServiceError } from '../errors/service-error.ts';
import { compositeRunId, type ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { isSettled, type RunView } from '../model/run/run.ts';
import type { Operation, Permission, PolicyPort } from '../policy/port.ts';
import {
  isAlsoPermitted,
  ownedQuestion,
  requirePermissionInThread,
} from '../policy/require-permission.ts';
import { runResource, threadResource } from '../policy/resources.ts';
import type { StreamPort } from '../streams/port.ts';
import type { AgentDescriptionPort, AgentsPort, AgentVersionPort } from './agents-port.ts';
import { createOnce } from './create-once.ts';
import { metadataStrings } from './metadata-strings.ts';
import { newRunUuid, newThreadId } from './new-ids.ts';
import { createRunAdmission } from './run-admission.ts';
import type { OutputLine, RunOutputPort, RunSandboxPort } from './run-output-port.ts';
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

/** Runs as requests use them (spec: Endpoints, Runs in a thread; Stateless runs and runs by id). */
export interface RunService {
  /** With an idempotency key: returns the run created with it before, if the caller may read it. */
  create(
    principal: Principal,
    threadId: ThreadId,
    request: RunRequest,
    creation?: RunCreation,
  ): Promise<RunView>;
  /** Runs on its own ephemeral thread. */
  createStateless(
    principal: Principal,
    request: RunRequest,
    creation?: RunCreation,
  ): Promise<RunView>;
  read(principal: Principal, key: RunKey): Promise<RunView>;
  /** An empty list with a total of 0 when the policy denies reading the thread's runs. */
  list(principal: Principal, threadId: ThreadId, page: RunPage): Promise<RowStream<RunView>>;
  /** Asks the policy once, for a client that lists repeatedly; resolves with the list function. */
  lister(
    principal: Principal,
    threadId: ThreadId,
  ): Promise<(page: RunPage) => Promise<RowStream<RunView>>>;
  /** Resolves with the settled run; rejects with `wait_elapsed` when the window ends first, and the run continues. */
  wait(run: RunView, window: WaitWindow): Promise<RunView>;
  /** The lines after `page.after` that are kept, and the number of later lines that are not. */
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
  runSandboxes?: RunSandboxPort;
}): RunService {
  const { engine, policy, streams, output, runSandboxes } = ports;
  const admission = createRunAdmission(ports);

  /** Requires a permission for a run of an existing thread. */
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

  async function startStateless(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    { creation, mark }: { creation: RunCreation; mark?: CreationMark },
  ): Promise<RunView> {
    const run = await admission.admitStateless(principal, request, key, creation);
    // Handlers filter runs by the metadata that they stamp, so the thread gets it too.
    const metadata = policy.permit ? metadataStrings(run.metadata) : {};
    return engine.startStateless(key.threadId, run, mark, metadata);
  }

  async function read(principal: Principal, key: RunKey): Promise<RunView> {
    await permit(principal, 'service:run:read', key);
    return withSandbox(await engine.readRun(key.threadId, key.runUuid));
  }

  function withSandbox(run: RunView): RunView {
    const sandbox = runSandboxes?.read(compositeRunId(run.threadId, run.runUuid));
    return sandbox ? { ...run, sandbox } : run;
  }

  async function* withSandboxes(runs: AsyncIterable<RunView>): AsyncGenerator<RunView> {
    for await (const run of runs) yield withSandbox(run);
  }

  async function lister(principal: Principal, threadId: ThreadId) {
    const resource = threadResource(threadId);
    const given = { metadata: {} };
    const question = { principal, operation: 'service:run:list' as const, resource, given };
    await requirePermissionInThread(ports, threadId, question);
    const areVisible = await areRunsVisible(principal, threadId);
    return async (page: RunPage): Promise<RowStream<RunView>> => {
      const { total, items } = await engine.listRuns(threadId, page);
      return areVisible ? { total, items: withSandboxes(items) } : { total: 0, items: noRuns() };
    };
  }

  /** The runs of a thread have one owner and random ids, so one question covers all of them. */
  async function areRunsVisible(principal: Principal, threadId: ThreadId): Promise<boolean> {
    if (policy.permitsEverything === true) return true;
    const resource = runResource(threadId, '*');
    const question = { principal, operation: 'service:run:read' as const, resource };
    return isAlsoPermitted(policy, await ownedQuestion(ports, threadId, question));
  }

  return {
    async create(principal, threadId, request, creation = {}) {
      const { idempotency } = creation;
      const runUuid = newRunUuid();
      const run = await admission.admit(principal, request, { threadId, runUuid }, creation);
      const made = await engine.createRun(threadId, run, idempotency);
      // A run of an earlier request with this key needs read permission: in another realm, the same name may be another
      // user.
      if (made.runUuid !== runUuid) await permit(principal, 'service:run:read', made);
      return made;
    },

    async createStateless(principal, request, creation = {}) {
      const { idempotency } = creation;
      if (!idempotency) {
        const key = { threadId: newThreadId(), runUuid: newRunUuid() };
        return startStateless(principal, request, key, { creation });
      }
      return createOnce(engine, idempotency, {
        create: (key, mark) => startStateless(principal, request, key, { creation, mark }),
        attach: (key) => read(principal, key),
      });
    },

    read,

    async list(principal, threadId, page) {
      return (await lister(principal, threadId))(page);
    },

    lister,

    async wait(run, window) {
      if (isSettled(run.status)) return withSandbox(run);
      const { threadId, runUuid } = run;
      if (window.limitMs > 0) {
        const waited = await withDeadline(window.limitMs, window.signal, (signal) =>
          engine.awaitRun(threadId, runUuid, signal),
        );
        if (waited.kind === 'done') return withSandbox(waited.value);
      }
      // Spec: Errors. The run continues and is not cancelled.
      throw new ServiceError('wait_elapsed', 'The wait window elapsed; the run goes on.', {
        details: { run_id: compositeRunId(threadId, runUuid) },
      });
    },

    async logs(principal, key, { after, limit }) {
      await permit(principal, 'service:run:logs', key);
      // Throws if the run does not exist.
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
      return withSandbox(await engine.cancelRun(key.threadId, key.runUuid));
    },

    async delete(principal, key) {
      await permit(principal, 'service:run:delete', key);
      await engine.deleteRun(key.threadId, key.runUuid);
      const runId = compositeRunId(key.threadId, key.runUuid);
      streams.remove(runId);
      output.remove(runId);
      runSandboxes?.remove(runId);
    },
  };
}

async function* noRuns(): AsyncGenerator<never> {}
