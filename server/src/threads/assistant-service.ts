import { v7 as uuidv7 } from 'uuid';
import type {
  Assistant,
  AssistantContent,
  AssistantsPort,
  AssistantVersion,
} from '../assistants/port.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import { permittedRows } from '../model/permitted-rows.ts';
import type { Principal } from '../model/principal.ts';
import type { Operation, PolicyPort, Permission } from '../policy/port.ts';
import { isAlsoPermitted, isMatch, requirePermission } from '../policy/require-permission.ts';
import { assistantResource } from '../policy/resources.ts';
import { hasMembers } from './has-members.ts';
import type { AgentsPort } from './ports.ts';

export interface AssistantServicePorts {
  assistants: AssistantsPort;
  agents: AgentsPort;
  policy: PolicyPort;
}

export interface NewAssistant extends Partial<Omit<AssistantContent, 'agentId'>> {
  /** Absent: a new UUID. */
  assistantId?: string;
  agentId: string;
  ifExists: 'raise' | 'do_nothing';
}

/** Members that are left out stay; metadata are merged. */
export type AssistantChange = Partial<AssistantContent>;

export interface AssistantSearch {
  agentId?: string;
  name?: string;
  /** Members that the assistant's metadata must have with an equal value. */
  metadata: Readonly<Record<string, unknown>>;
}

/** Assistants as requests use them: presets of agents that users make. Those of the agents themselves are not kept. */
export class AssistantService {
  readonly #ports: AssistantServicePorts;

  constructor(ports: AssistantServicePorts) {
    this.#ports = ports;
  }

  /** `assistant_exists`, `agent_not_found` */
  async create(principal: Principal, made: NewAssistant): Promise<Assistant> {
    const { assistantId = uuidv7(), ifExists, ...rest } = made;
    const { agentId } = this.#ports.agents.resolve(made.agentId);
    const content = { name: agentId, config: {}, context: {}, metadata: {}, ...rest, agentId };
    const permission = await this.#require(principal, 'create', assistantId, {
      owner: principal.sub,
      given: { ...givenOf(content), if_exists: ifExists },
    });
    const metadata = givenMetadata(permission, content.metadata);
    const { sub } = principal;
    const created = await this.#ports.assistants.create(assistantId, sub, { ...content, metadata });
    if (created) return created;
    const taken = new ServiceError('assistant_exists', `There is an assistant ${assistantId}.`);
    if (ifExists === 'raise') throw taken;
    // The id is taken, also for a caller who may not see by what.
    return this.read(principal, assistantId).catch(() => {
      throw taken;
    });
  }

  /** `assistant_not_found` */
  read(principal: Principal, assistantId: string): Promise<Assistant> {
    return this.#permitted(principal, 'read', assistantId);
  }

  async change(
    principal: Principal,
    assistantId: string,
    change: AssistantChange,
  ): Promise<Assistant> {
    const { agentId } = change;
    if (agentId !== undefined) this.#ports.agents.resolve(agentId);
    const given = givenOf(change);
    let permission: Permission = {};
    await this.#permitted(principal, 'update', assistantId, given, (one) => (permission = one));
    const metadata = change.metadata && givenMetadata(permission, change.metadata);
    const changed = this.#ports.assistants.change(assistantId, (current) => ({
      ...current,
      ...change,
      metadata: { ...current.metadata, ...metadata },
    }));
    return found(await changed, assistantId);
  }

  async setVersion(principal: Principal, assistantId: string, version: number): Promise<Assistant> {
    await this.#permitted(principal, 'update', assistantId, { version });
    const current = await this.#ports.assistants.setVersion(assistantId, version);
    if (current) return current;
    const message = `The assistant ${assistantId} has no version ${version}.`;
    throw new ServiceError('assistant_not_found', message);
  }

  async versions(principal: Principal, assistantId: string): Promise<AssistantVersion[]> {
    await this.#permitted(principal, 'read', assistantId);
    return this.#ports.assistants.versions(assistantId);
  }

  /** Resolves with what it was. */
  async delete(principal: Principal, assistantId: string): Promise<Assistant> {
    const assistant = await this.#permitted(principal, 'delete', assistantId);
    await this.#ports.assistants.delete(assistantId);
    return assistant;
  }

  /** Newest first, without those that the policy denies reading; none for a caller who may not search. */
  async find(
    principal: Principal,
    { agentId, name, metadata }: AssistantSearch,
  ): Promise<Assistant[]> {
    const asked = { given: { graph_id: agentId ?? null, metadata } };
    const permission = await this.#require(principal, 'search', '*', asked).catch(ifDenied);
    if (!permission) return [];
    const { filter } = permission;
    const listed = await this.#ports.assistants.list({
      ...(agentId !== undefined && { agentId }),
      ...(name !== undefined && { name }),
    });
    const matching = listed.filter(
      (one) => isMatch(one.metadata, filter) && hasMembers(one.metadata, metadata),
    );
    return permittedRows(matching, ({ assistantId, owner }) =>
      isAlsoPermitted(this.#ports.policy, {
        principal,
        operation: 'service:assistant:read',
        resource: assistantResource(assistantId, owner),
      }),
    );
  }

  /** The assistant, for a caller who may do this with it: without the right, it is not known whether it exists. */
  async #permitted(
    principal: Principal,
    verb: 'read' | 'update' | 'delete',
    assistantId: string,
    given: Readonly<Record<string, unknown>> = {},
    onPermitted?: (permission: Permission) => void,
  ): Promise<Assistant> {
    const known = await this.#ports.assistants.read(assistantId);
    const permission = await this.#require(principal, verb, assistantId, {
      ...(known && { owner: known.owner }),
      given,
    });
    onPermitted?.(permission);
    const assistant = found(known, assistantId);
    if (!isMatch(assistant.metadata, permission.filter)) return found(undefined, assistantId);
    return assistant;
  }

  #require(
    principal: Principal,
    verb: 'create' | 'read' | 'update' | 'delete' | 'search',
    assistantId: string,
    { owner, given }: { owner?: string; given: Readonly<Record<string, unknown>> },
  ): Promise<Permission> {
    const operation: Operation = `service:assistant:${verb}`;
    return requirePermission(this.#ports.policy, {
      principal,
      operation,
      resource: assistantResource(assistantId, owner),
      given: { assistant_id: assistantId, ...given },
    });
  }
}

/** As handlers of LangGraph's `Auth` are asked. */
function givenOf({
  agentId,
  name,
  description,
  ...rest
}: AssistantChange): Record<string, unknown> {
  return {
    ...rest,
    ...(agentId !== undefined && { graph_id: agentId }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
}

/** With what a handler has changed. */
function givenMetadata(
  { given }: Permission,
  metadata: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = given?.['metadata'];
  return typeof changed === 'object' && changed !== null ? { ...changed } : metadata;
}

function ifDenied(error: unknown): undefined {
  if (!isServiceError(error) || error.code !== 'permission_denied') throw error;
}

function found(assistant: Assistant | undefined, assistantId: string): Assistant {
  if (assistant) return assistant;
  throw new ServiceError('assistant_not_found', `There is no assistant ${assistantId}.`);
}
