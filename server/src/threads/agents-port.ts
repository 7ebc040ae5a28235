import type { AgentId } from '../model/ids.ts';

/** An agent as requests see it: an entry of the manifest. */
export interface Agent {
  agentId: AgentId;
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
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
