import type { Principal } from '../model/principal.ts';
import type { PolicyPort } from '../policy/port.ts';
import { requirePermission } from '../policy/require-permission.ts';
import { agentResource } from '../policy/resources.ts';
import type { Agent, AgentsPort } from './agents-port.ts';

/** Agents as requests use them (spec: Endpoints, Agents). */
export interface AgentService {
  /** In the manifest's order; agents that the policy denies are left out. */
  list(principal: Principal): Promise<Agent[]>;
  read(principal: Principal, name: string): Promise<Agent>;
}

/** Makes the service over its ports. */
export function createAgentService(ports: {
  agents: AgentsPort;
  policy: PolicyPort;
}): AgentService {
  const { agents, policy } = ports;
  return {
    async list(principal) {
      const resource = agentResource('*');
      await requirePermission(policy, { principal, operation: 'service:agent:list', resource });
      const permitted: Agent[] = [];
      for (const agent of agents.list()) {
        const isPermitted = await policy.isPermitted({
          principal,
          operation: 'service:agent:read',
          resource: agentResource(agent.agentId),
        });
        if (isPermitted) permitted.push(agent);
      }
      return permitted;
    },

    async read(principal, name) {
      const resource = agentResource(name);
      await requirePermission(policy, { principal, operation: 'service:agent:read', resource });
      return agents.resolve(name);
    },
  };
}
