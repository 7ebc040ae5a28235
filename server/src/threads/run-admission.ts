import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { AgentId, ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { NewRun } from '../model/run/run.ts';
import type { Operation, PolicyPort, PolicyQuestion } from '../policy/port.ts';
import {
  isThreadMissing,
  ownedQuestion,
  requireAlso,
  requirePermission,
  requirePermissionInThread,
  type ThreadReader,
} from '../policy/require-permission.ts';
import { runResource } from '../policy/resources.ts';
import type { AgentDescriptionPort, AgentsPort, AgentVersionPort } from './ports.ts';
import { givenMetadata } from './metadata-strings.ts';
import type { RunCreation, RunKey, RunRequest } from './run-request.ts';
import { requireTakenInput } from './taken-input.ts';

/** What the service needs. */
export interface RunAdmissionPorts {
  engine: ThreadReader;
  policy: PolicyPort;
  agents: AgentsPort;
  descriptions: AgentDescriptionPort;
  agentVersion?: AgentVersionPort;
}

/** All checks before a run is created. Resolves with the run as its request and its permission specify it. */
export class RunAdmission {
  readonly #ports: RunAdmissionPorts;

  constructor(ports: RunAdmissionPorts) {
    this.#ports = ports;
  }

  /** On an existing thread. `thread_not_found` when it is missing, and the caller creates it and may run there. */
  async admit(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    creation: RunCreation,
  ): Promise<NewRun> {
    const { threadId, runUuid } = key;
    const run = await this.#newRun(principal, request, key);
    const operation = 'service:run:create' as const;
    const given = givenOf(run, threadId);
    const question = { principal, operation, resource: runResource(threadId, runUuid), given };
    if (creation.isThreadMade === true && (await isThreadMissing(this.#ports, threadId))) {
      // Created by the caller instead, because meanwhile the thread may belong to another user.
      const resource = runResource(threadId, runUuid, principal.sub);
      await requirePermission(this.#ports.policy, { ...question, resource });
      throw new ServiceError('thread_not_found', `There is no thread ${threadId}.`);
    }
    const permission = await requirePermissionInThread(this.#ports, threadId, question);
    const asked = await ownedQuestion(
      { policy: this.#ports.policy, engine: this.#ports.engine },
      threadId,
      question,
    );
    await this.#requireRest(asked, run, { ...creation, threadId });
    return this.#taken(run, request, permission.given);
  }

  /** On its own thread, which belongs to the principal that creates the run. */
  async admitStateless(
    principal: Principal,
    request: RunRequest,
    key: RunKey,
    creation: RunCreation,
  ): Promise<NewRun> {
    const { threadId, runUuid } = key;
    const run = await this.#newRun(principal, request, key);
    const operation = 'service:run:create' as const;
    const resource = runResource(threadId, runUuid, principal.sub);
    const question = { principal, operation, resource, given: givenOf(run, undefined) };
    const permission = await requirePermission(this.#ports.policy, question);
    await this.#requireRest(question, run, creation);
    return this.#taken(run, request, permission.given);
  }

  /** An unknown agent's name goes to the policy, too: a caller who may not run agents does not learn which exist. */
  #nameOf(asked: string | undefined): AgentId {
    try {
      return this.#ports.agents.resolve(asked).agentId;
    } catch (error) {
      if (asked === undefined || !isServiceError(error)) throw error;
      return asked as AgentId; // `taken` refuses it
    }
  }

  async #newRun(
    principal: Principal,
    { isInputFree: _, ...request }: RunRequest,
    { runUuid }: RunKey,
  ): Promise<NewRun> {
    const agentId = this.#nameOf(request.agentId);
    const known = await this.#ports.agentVersion?.current();
    return {
      ...request,
      runUuid,
      agentId,
      principal: principal.claims,
      ...(known !== undefined && { agentVersion: known }),
    };
  }

  /**
   * The run with the metadata that a permission left of it. `agent_not_found`; `invalid_request` for an input that the
   * agent does not accept.
   */
  async #taken(
    run: NewRun,
    { isInputFree }: RunRequest,
    given: Readonly<Record<string, unknown>> | undefined,
  ): Promise<NewRun> {
    const agent = this.#ports.agents.resolve(run.agentId);
    // This may run the agent's code, so it comes after the permission check.
    if (isInputFree !== true) await requireTakenInput(this.#ports.descriptions, agent, run.start);
    return { ...run, metadata: givenMetadata(given, run.metadata) };
  }

  /** Requires the other permissions that a run needs: of its follow-up operation, and of stopping other runs. */
  async #requireRest(
    asked: PolicyQuestion,
    run: NewRun,
    { threadId, thenDoes, note }: RunCreation & { threadId?: ThreadId },
  ): Promise<void> {
    if (note) await requireAlso(this.#ports.policy, { ...asked, operation: 'service:run:read' });
    if (thenDoes !== undefined)
      await requireAlso(this.#ports.policy, { ...asked, operation: thenDoes });
    if (threadId === undefined) return;
    const { mrn } = runResource(threadId, '*');
    const resource = { ...asked.resource, mrn };
    for (const operation of stops(run))
      await requireAlso(this.#ports.policy, { ...asked, operation, resource });
  }
}

/** The operations on other runs of the thread that a new run's strategy performs. */
function stops({ multitaskStrategy }: NewRun): Operation[] {
  if (multitaskStrategy === 'interrupt') return ['service:run:cancel'];
  if (multitaskStrategy === 'rollback') return ['service:run:cancel', 'service:run:delete'];
  return [];
}

/** A new run as handlers of LangGraph's `Auth` see it, without its input. */
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
