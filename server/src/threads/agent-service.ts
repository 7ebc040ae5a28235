import { isDeepStrictEqual } from 'node:util';
import { withDeadline } from '../concurrency/concurrency.ts';
import type { AgentDescription } from '../model/agent-description.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type JsonText, jsonText } from '../model/json.ts';
import { permittedRows } from '../model/permitted-rows.ts';
import type { Principal } from '../model/principal.ts';
import type { PolicyPort } from '../policy/port.ts';
import { isAlsoPermitted, isMatch, requirePermission } from '../policy/require-permission.ts';
import { agentResource } from '../policy/resources.ts';
import type { AgentDescriptionPort, AgentsPort, ServedAgent } from './agents-port.ts';

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

/** Agents as requests use them (spec: Endpoints, Agents). */
export interface AgentService {
  /** In the manifest's order, without agents that the policy denies. */
  list(principal: Principal): Promise<ServedAgent[]>;
  /** A page of the same; `total` counts all matches. */
  search(
    principal: Principal,
    search: AgentSearch,
  ): Promise<{ items: ServedAgent[]; total: number }>;
  read(principal: Principal, name: string): Promise<ServedAgent>;
  /** `agent_not_loaded`, `guest_unavailable`. */
  schemas(principal: Principal, name: string, signal: AbortSignal): Promise<AgentSchemas>;
  /** `{nodes, edges}`, with the inside of sub-graphs down to `depth`. `agent_not_loaded`, `guest_unavailable`. */
  graph(
    principal: Principal,
    name: string,
    depth: number,
    signal: AbortSignal,
  ): Promise<{ agent: ServedAgent; graph: JsonText }>;
}

/** How long a client waits for a guest that is busy or starting. */
const DESCRIBE_LIMIT_MS = 30_000;

const anyObject = jsonText('{"type":"object"}');
const noGraph = jsonText('{"nodes":[],"edges":[]}');

/** Makes the service over its ports. */
export function createAgentService(ports: {
  agents: AgentsPort;
  descriptions: AgentDescriptionPort;
  policy: PolicyPort;
  describeLimitMs?: number;
}): AgentService {
  const { agents, descriptions, policy, describeLimitMs = DESCRIBE_LIMIT_MS } = ports;

  async function permitted(
    principal: Principal,
    operation: 'service:agent:list' | 'service:agent:search',
  ): Promise<ServedAgent[]> {
    const { filter } = await requirePermission(policy, {
      principal,
      operation,
      resource: agentResource('*'),
      given: { graph_id: null, metadata: {}, limit: agents.list().length, offset: 0 },
    });
    const matching = agents.list().filter((agent) => isMatch(metadataOf(agent), filter));
    return permittedRows(matching, ({ agentId }) => {
      const resource = agentResource(agentId);
      return isAlsoPermitted(policy, { principal, operation: 'service:agent:read', resource });
    });
  }

  async function read(principal: Principal, name: string): Promise<ServedAgent> {
    const resource = agentResource(name);
    const { filter } = await requirePermission(policy, {
      principal,
      operation: 'service:agent:read',
      resource,
      given: { assistant_id: name },
    });
    const agent = agents.resolve(name);
    if (isMatch(metadataOf(agent), filter)) return agent;
    throw new ServiceError('agent_not_found', `There is no agent named ${name}.`);
  }

  async function describe(
    { agentId }: ServedAgent,
    wanted: Parameters<AgentDescriptionPort['describeAgent']>[1],
    signal: AbortSignal,
  ): Promise<AgentDescription> {
    const asked = await withDeadline(describeLimitMs, signal, (inTime) =>
      descriptions.describeAgent(agentId, wanted, inTime),
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

  return {
    list: (principal) => permitted(principal, 'service:agent:list'),

    read,

    async search(principal, { metadata, limit, offset }) {
      const wanted = Object.entries(metadata);
      const readable = await permitted(principal, 'service:agent:search');
      const found = readable.filter((agent) =>
        wanted.every(
          ([key, value]) =>
            Object.hasOwn(agent.metadata ?? {}, key) &&
            isDeepStrictEqual(agent.metadata?.[key], value),
        ),
      );
      return { items: found.slice(offset, offset + limit), total: found.length };
    },

    async schemas(principal, name, signal) {
      const agent = await read(principal, name);
      const found = await describe(agent, { schemas: true }, signal);
      return {
        agent,
        input: found.inputSchema ?? anyObject,
        output: found.outputSchema ?? anyObject,
        state: found.stateSchema ?? anyObject,
        config: found.configSchema ?? anyObject,
        ...(found.contextSchema !== undefined && { context: found.contextSchema }),
      };
    },

    async graph(principal, name, depth, signal) {
      const agent = await read(principal, name);
      const found = await describe(agent, { graph: true, graphDepth: depth }, signal);
      return { agent, graph: found.graph ?? noGraph };
    },
  };
}

/** As clients of LangGraph Server see it: `created_by` names the manifest as `system`. */
function metadataOf({ metadata }: ServedAgent): Record<string, unknown> {
  return { created_by: 'system', ...metadata };
}
