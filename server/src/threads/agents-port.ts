import type { Agent } from '../agents/agent.ts';
import type { AgentId } from '../model/ids.ts';
import type { AgentDescription } from '../model/agent-description.ts';

/** An agent without the path of its code, as requests see it. */
export type ServedAgent = Omit<Agent, 'path'>;

/** The agents of this service. */
export interface AgentsPort {
  /** The default agent without an id; throws `agent_not_found` for an unknown one, never the default. */
  resolve(agentId?: string): ServedAgent;
  /** In the manifest's order. */
  list(): readonly ServedAgent[];
}

/** Descriptions that the agents' code gives. */
export interface AgentDescriptionPort {
  /** Rejects with a ServiceError: `agent_not_found`, `guest_unavailable`. A repeated question needs no guest. */
  describeAgent(
    agentId: AgentId,
    wanted: { schemas?: boolean; graph?: boolean; graphDepth?: number },
    signal: AbortSignal,
  ): Promise<AgentDescription>;
}

/** The version of the agents' code. */
export interface AgentVersionPort {
  /** Undefined when it cannot be determined. Never rejects. */
  current(): Promise<string | undefined>;
}
