import type { AgentId } from '../model/ids.ts';
import type { RunError } from '../model/run/run.ts';

/** What a guest found out about an agent when it imported it. */
export interface DescribedAgent {
  agentId: AgentId;
  /** Set when the agent could not be loaded. */
  error?: RunError;
}
