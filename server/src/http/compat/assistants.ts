import { ServiceError } from '../../errors/service-error.ts';
import { assistantIdOf, langGraphIds } from '../../model/assistant-id.ts';
import type { Agent, AgentsPort } from '../../threads/agents-port.ts';

/** The name of the agent that an id or the name of a graph stands for; undefined when there is none. */
export function agentNamed(agents: AgentsPort, assistant: string): string | undefined {
  return agents
    .list()
    .find(({ agentId }) => agentId === assistant || assistantIdOf(agentId) === assistant)?.agentId;
}

/** The same; `agent_not_found`. */
export function agentNameOf(agents: AgentsPort, assistant: string): string {
  const found = agentNamed(agents, assistant);
  if (found !== undefined) return found;
  throw new ServiceError('agent_not_found', `There is no assistant and no graph ${assistant}.`);
}

/** An agent as an assistant; `since`: when this service began. */
export function presentAssistant(agent: Agent, since: string) {
  const { agentId, name, description, metadata } = agent;
  return {
    ...langGraphIds(agentId),
    name,
    description: description ?? null,
    config: {},
    context: {},
    metadata: { created_by: 'system', ...metadata },
    version: 1,
    created_at: since,
    updated_at: since,
  };
}
