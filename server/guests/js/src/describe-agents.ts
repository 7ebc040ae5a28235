import type { Agent } from './agent-registry.ts';
import { agentSchemas, type AgentSchemas } from './agent-schemas.ts';
import { graphShape } from './graph-shape.ts';
import type { AgentDescription } from './wire.ts';

const noSchemas: AgentSchemas = {
  inputSchemaJson: '',
  outputSchemaJson: '',
  stateSchemaJson: '',
  configSchemaJson: '',
  contextSchemaJson: '',
};

const anyObject = '{"type":"object"}';
const anySchemas: AgentSchemas = {
  inputSchemaJson: anyObject,
  outputSchemaJson: anyObject,
  stateSchemaJson: anyObject,
  configSchemaJson: anyObject,
  contextSchemaJson: '',
};

export interface DescribeOptions {
  schemas?: boolean;
  graph?: boolean;
  graphDepth?: number;
}

/** Describes agents for the host, with the error of those that could not be loaded. */
export function describeAgents(
  agents: Iterable<Agent>,
  options: DescribeOptions,
): Promise<AgentDescription[]> {
  return Promise.all(
    [...agents].map(async (agent) => ({
      agentId: agent.agentId,
      error: agent.error ?? null,
      ...(options.schemas === true ? await schemasOf(agent) : noSchemas),
      graphJson: options.graph === true ? await graphOf(agent, options.graphDepth ?? 0) : '',
    })),
  );
}

async function schemasOf(agent: Agent): Promise<AgentSchemas> {
  if (agent.error !== undefined) return noSchemas;
  try {
    const graph = await agent.graphFor({ configurable: {}, metadata: {} });
    return await agentSchemas(graph, agent.library);
  } catch {
    return anySchemas; // a factory that needs a run's config
  }
}

async function graphOf(agent: Agent, depth: number): Promise<string> {
  if (agent.error !== undefined) return '';
  try {
    const graph = await agent.graphFor({ configurable: {}, metadata: {} });
    return JSON.stringify(await graphShape(graph, depth));
  } catch {
    return '{"nodes":[],"edges":[]}'; // as above, or LangGraph cannot draw it
  }
}
