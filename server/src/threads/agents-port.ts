import type { AgentId } from '../model/ids.ts';
import type { JsonText } from '../model/json-text.ts';

/** An agent as requests see it: an entry of the manifest. */
export interface Agent {
  agentId: AgentId;
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  language: 'python' | 'javascript';
  /** Set when the agent could not be loaded. */
  error?: { code: string; message: string; traceback?: string };
}

/** The agents of this service. */
export interface AgentsPort {
  /** The default agent without an id; throws `agent_not_found` for an unknown one, never the default. */
  resolve(agentId?: string): Agent;
  /** In the manifest's order. */
  list(): readonly Agent[];
}

/** What the guest that has imported an agent says about it. */
export interface AgentDescription {
  /** Set when the agent could not be loaded. */
  error?: NonNullable<Agent['error']>;
  inputSchema?: JsonText;
  outputSchema?: JsonText;
  stateSchema?: JsonText;
  configSchema?: JsonText;
  /** Absent: the graph has no context schema. */
  contextSchema?: JsonText;
  /** `{nodes, edges}` */
  graph?: JsonText;
}

/** The agents' code, as far as it can be asked. */
export interface AgentDescriptionPort {
  /** Rejects with a ServiceError: `agent_not_found`, `guest_unavailable`. What is asked again costs no guest. */
  describeAgent(
    agentId: AgentId,
    wanted: { schemas?: boolean; graph?: boolean; graphDepth?: number },
    signal: AbortSignal,
  ): Promise<AgentDescription>;
}

/** The version of the agents' code. */
export interface AgentVersionPort {
  /** Undefined when it cannot be found out. Never rejects. */
  current(): Promise<string | undefined>;
}
