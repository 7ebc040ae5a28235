import * as contract from '../../contract/agent-routes.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import { presentAgent, presentAgentGraph, presentAgentSchemas } from '../response/present.ts';

/** Agents (spec: Endpoints, Agents). */
export function agentRoutes(endpoints: Endpoints, services: { agents: AgentService }): void {
  const { agents } = services;

  endpoints.on(contract.listAgents, async ({ principal }) => {
    const listed = await agents.list(principal);
    return { status: 200, body: listed.map(presentAgent) };
  });

  endpoints.on(contract.getAgent, async ({ principal, params }) => {
    const agent = await agents.read(principal, params.name);
    return { status: 200, body: presentAgent(agent) };
  });

  endpoints.on(contract.searchAgents, async ({ principal, body }) => {
    const { metadata = {}, limit = DEFAULT_LIMIT, offset = 0 } = body;
    const page = await agents.search(principal, { metadata, limit, offset });
    return {
      status: 200,
      body: page.items.map(presentAgent),
      headers: paginationHeaders({ offset }, page),
    };
  });

  endpoints.on(contract.getAgentSchemas, async ({ principal, params, signal }) => {
    const schemas = await agents.schemas(principal, params.name, signal);
    return { status: 200, body: presentAgentSchemas(schemas) };
  });

  endpoints.on(contract.getAgentGraph, async ({ principal, params, query, signal }) => {
    const { name } = params;
    const { agent, graph } = await agents.graph(principal, name, query.depth ?? 0, signal);
    return { status: 200, body: presentAgentGraph(agent, graph) };
  });
}
