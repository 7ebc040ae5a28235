import type { Agent } from './agent-registry.ts';
import { agentSchemas, type AgentSchemas } from './agent-schemas.ts';
import type { AgentDescription } from './wire.ts';

const noSchemas: AgentSchemas = {
  inputSchemaJson: '',
  outputSchemaJson: '',
  stateSchemaJson: '',
  configSchemaJson: '',
};

/** Describes agents for the host, with the error of those that could not be loaded. */
export function describeAgents(
  agents: Iterable<Agent>,
  options: { schemas: boolean },
): Promise<AgentDescription[]> {
  return Promise.all(
    [...agents].map(async (agent) => ({
      agentId: agent.agentId,
      error: agent.error ?? null,
      ...(options.schemas ? await schemasOf(agent) : noSchemas),
    })),
  );
}

async function schemasOf(agent: Agent): Promise<AgentSchemas> {
  if (agent.error !== undefined) return noSchemas;
  try {
    const graph = await agent.graphFor({ configurable: {}, metadata: {} });
    return await agentSchemas(graph, agent.library);
  } catch {
    return noSchemas; // a factory that needs a run's config
  }
}
