import type { Logger } from '../observability/logger.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { DescribedAgent } from './describe-port.ts';

/** Takes note of what a guest found out about its agents, and says which could not be loaded: each reason once. */
export function learnFrom(
  described: readonly DescribedAgent[],
  { agents, logger }: { agents: AgentRegistry; logger: Pick<Logger, 'warn'> },
): void {
  for (const { agentId, error } of agents.learn(described)) {
    const about = { agent_id: agentId, reason: error.message };
    logger.warn(about, 'an agent could not be loaded');
  }
}
