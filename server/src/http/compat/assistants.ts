import { assistantIdOf, langGraphIds } from '../../model/assistant-id.ts';
import type { ServedAgent, AgentsPort } from '../../threads/agents-port.ts';

/** The name of the agent that an id or the name of a graph stands for; undefined when there is none. */
export function agentNamed(agents: AgentsPort, assistant: string): string | undefined {
  return agents
    .list()
    .find(({ agentId }) => agentId === assistant || assistantIdOf(agentId) === assistant)?.agentId;
}

/**
 * The same for a question to the policy: what no agent is named by stays as it is, so that who may not read agents is not
 * told which there are.
 */
export function askedName(agents: AgentsPort, assistant: string): string {
  return agentNamed(agents, assistant) ?? assistant;
}

/** An agent as an assistant; `since`: when this service began. */
export function presentAssistant(agent: ServedAgent, since: string) {
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
