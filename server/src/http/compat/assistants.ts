import { assistantIdOf, langGraphIds } from '../../model/agent-description.ts';
import type { AgentsPort, ServedAgent } from '../../threads/ports.ts';

/** The name of the agent that an assistant id or a graph name refers to; undefined when none exists. */
export function agentNamed(agents: AgentsPort, assistant: string): string | undefined {
  return agents
    .list()
    .find(({ agentId }) => agentId === assistant || assistantIdOf(agentId) === assistant)?.agentId;
}

/**
 * The same for a policy question: an unknown name is returned unchanged, so that a caller who may not read agents does
 * not learn which exist.
 */
export function askedName(agents: AgentsPort, assistant: string): string {
  return agentNamed(agents, assistant) ?? assistant;
}

/** An agent as an assistant; `since`: when this service started. */
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

/** A graph as guests draw it. */
export interface GraphShape {
  nodes: { id: string; type: string; name: string; metadata?: unknown }[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
}

/** The drawing in the form of LangChain's `Graph.to_json`. */
export function presentDrawing({ nodes, edges }: GraphShape): object {
  return {
    nodes: nodes.map(({ id, name, metadata }) => ({
      id,
      type: 'runnable',
      data: { id: ['langgraph', '_internal', '_runnable', 'RunnableCallable'], name },
      ...(metadata === undefined ? {} : { metadata }),
    })),
    edges: edges.map(({ source, target, conditional, label }) => ({
      source,
      target,
      ...(label === undefined ? {} : { data: label }),
      ...(conditional ? { conditional } : {}),
    })),
  };
}

/** Names of the nodes that are sub-graphs. */
export function nestedGraphs({ nodes }: GraphShape): string[] {
  return nodes.filter(({ type }) => type === 'subgraph').map(({ id }) => id);
}
