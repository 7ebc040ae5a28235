import type { Agent } from './agent-registry.ts';
import type { AgentDescription } from './wire.ts';

/** Describes agents for the host, with the error of those that could not be loaded. */
export function describeAgents(agents: Iterable<Agent>): AgentDescription[] {
  return [...agents].map(({ agentId, error }) => ({
    agentId,
    error: error ?? null,
    inputSchemaJson: '',
    outputSchemaJson: '',
    stateSchemaJson: '',
    configSchemaJson: '',
  }));
}
