import * as contract from '../../contract/agent-routes.ts';
import type { AgentService } from '../../threads/agent-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { presentAgent } from '../present.ts';

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
}
