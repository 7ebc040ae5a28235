import { withDeadline } from '../concurrency/concurrency.ts';
import type { AgentDescription } from '../model/agent-description.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type JsonText, jsonText } from '../model/json.ts';
import { permittedRows } from '../model/permitted-rows.ts';
import type { Principal } from '../model/principal.ts';
import type { PolicyPort } from '../policy/port.ts';
import { isAlsoPermitted, isMatch, requirePermission } from '../policy/require-permission.ts';
import { agentResource } from '../policy/resources.ts';
import { hasMembers } from './has-members.ts';
import type { AgentDescriptionPort, AgentsPort, ServedAgent } from './ports.ts';

/** An agent's schemas. Spec: a schema that cannot be made is `{"type":"object"}`. */
export interface AgentSchemas {
  agent: ServedAgent;
  input: JsonText;
  output: JsonText;
  state: JsonText;
  config: JsonText;
  /** Absent: the graph has no context schema. */
  context?: JsonText;
}

/** The filter of an agent search, and the wanted page. */
export interface AgentSearch {
  /** Members that the agent's metadata must have with an equal value. */
  metadata: Record<string, unknown>;
  limit: number;
  offset: number;
}

/** What the service needs. */
export interface AgentServicePorts {
  agents: AgentsPort;
  descriptions: AgentDescriptionPort;
  policy: PolicyPort;
  describeLimitMs?: number;
}

/** Agents as requests use them (spec: Endpoints, Agents). */
export class AgentService {
  readonly #agents: AgentServicePorts['agents'];
  readonly #descriptions: AgentServicePorts['descriptions'];
  readonly #policy: AgentServicePorts['policy'];
  readonly #describeLimitMs: number;

  constructor(ports: AgentServicePorts) {
    this.#agents = ports.agents;
    this.#descriptions = ports.descriptions;
    this.#policy = ports.policy;
    this.#describeLimitMs = ports.describeLimitMs ?? DESCRIBE_LIMIT_MS;
  }

  /** In the manifest's order, without agents that the policy denies. */
  list(principal: Principal): Promise<ServedAgent[]> {
    return this.#permitted(principal, 'service:agent:list');
  }

  /** A page of the same; `total` counts all matches. */
  async search(
    principal: Principal,
    { metadata, limit, offset }: AgentSearch,
  ): Promise<{ items: ServedAgent[]; total: number }> {
    const readable = await this.#permitted(principal, 'service:agent:search');
    const found = readable.filter((agent) => hasMembers(agent.metadata, metadata));
    return { items: found.slice(offset, offset + limit), total: found.length };
  }

  async read(principal: Principal, name: string): Promise<ServedAgent> {
    const resource = agentResource(name);
    const { filter } = await requirePermission(this.#policy, {
      principal,
      operation: 'service:agent:read',
      resource,
      given: { assistant_id: name },
    });
    const agent = this.#agents.resolve(name);
    if (isMatch(metadataOf(agent), filter)) return agent;
    throw new ServiceError('agent_not_found', `There is no agent named ${name}.`);
  }

  /** `agent_not_loaded`, `guest_unavailable`. */
  async schemas(principal: Principal, name: string, signal: AbortSignal): Promise<AgentSchemas> {
    const agent = await this.read(principal, name);
    const found = await this.#describe(agent, { schemas: true }, signal);
    return {
      agent,
      input: found.inputSchema ?? anyObject,
      output: found.outputSchema ?? anyObject,
      state: found.stateSchema ?? anyObject,
      config: found.configSchema ?? anyObject,
      ...(found.contextSchema !== undefined && { context: found.contextSchema }),
    };
  }

  /** `{nodes, edges}`, with the inside of sub-graphs down to `depth`. `agent_not_loaded`, `guest_unavailable`. */
  async graph(
    principal: Principal,
    name: string,
    depth: number,
    signal: AbortSignal,
  ): Promise<{ agent: ServedAgent; graph: JsonText }> {
    const agent = await this.read(principal, name);
    const found = await this.#describe(agent, { graph: true, graphDepth: depth }, signal);
    return { agent, graph: found.graph ?? noGraph };
  }

  async #permitted(
    principal: Principal,
    operation: 'service:agent:list' | 'service:agent:search',
  ): Promise<ServedAgent[]> {
    const { filter } = await requirePermission(this.#policy, {
      principal,
      operation,
      resource: agentResource('*'),
      given: { graph_id: null, metadata: {}, limit: this.#agents.list().length, offset: 0 },
    });
    const matching = this.#agents.list().filter((agent) => isMatch(metadataOf(agent), filter));
    return permittedRows(matching, ({ agentId }) => {
      const resource = agentResource(agentId);
      return isAlsoPermitted(this.#policy, {
        principal,
        operation: 'service:agent:read',
        resource,
      });
    });
  }

  async #describe(
    { agentId }: ServedAgent,
    wanted: Parameters<AgentDescriptionPort['describeAgent']>[1],
    signal: AbortSignal,
  ): Promise<AgentDescription> {
    const asked = await withDeadline(this.#describeLimitMs, signal, (inTime) =>
      this.#descriptions.describeAgent(agentId, wanted, inTime),
    );
    if (asked.kind === 'elapsed') {
      throw new ServiceError('guest_unavailable', 'No guest described the agent in time.');
    }
    const { error } = asked.value;
    if (!error) return asked.value;
    throw new ServiceError(
      'agent_not_loaded',
      `The agent ${agentId} could not be loaded: ${error.message}`,
      { details: { agent_id: agentId, error } },
    );
  }
}

/** How long a client waits for a guest that is busy or starting. */
const DESCRIBE_LIMIT_MS = 30_000;

const anyObject = jsonText('{"type":"object"}');
const noGraph = jsonText('{"nodes":[],"edges":[]}');

/** As clients of LangGraph Server see it: `created_by` names the manifest as `system`. */
function metadataOf({ metadata }: ServedAgent): Record<string, unknown> {
  return { created_by: 'system', ...metadata };
}
