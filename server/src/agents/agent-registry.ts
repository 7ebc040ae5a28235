import { ServiceError } from '../errors/service-error.ts';
import type { AgentId } from '../model/ids.ts';
import type { RunError } from '../model/run/run.ts';
import type { Agent, ManifestAgent } from './agent.ts';
import type { Logger } from '../observability/logger.ts';

/** What a guest found out about an agent when it imported it. */
export interface DescribedAgent {
  agentId: AgentId;
  /** Set when the agent could not be loaded. */
  error?: RunError;
}

/** The agents of this service: the manifest's entries and what the guests found out about them. */
export class AgentRegistry {
  #agents: readonly ManifestAgent[];
  readonly #errors = new Map<AgentId, RunError>();

  constructor(agents: readonly ManifestAgent[]) {
    this.#agents = agents;
  }

  /** The agent of that name, the manifest's first one without a name; throws `agent_not_found`, never the default. */
  resolve(agentId?: string): Agent {
    const found =
      agentId === undefined
        ? this.#agents[0]
        : this.#agents.find((agent) => agent.agentId === agentId);
    if (!found) {
      throw new ServiceError('agent_not_found', `There is no agent named ${agentId ?? ''}.`);
    }
    return this.#withError(found);
  }

  /** In the manifest's order. */
  list(): readonly Agent[] {
    return this.#agents.map((agent) => this.#withError(agent));
  }

  /** Takes note of which agents could be loaded, and which could not; returns the failures that are news. */
  learn(described: readonly DescribedAgent[]): { agentId: AgentId; error: RunError }[] {
    const news: { agentId: AgentId; error: RunError }[] = [];
    for (const { agentId, error } of described) {
      if (!error) {
        this.#errors.delete(agentId);
        continue;
      }
      if (this.#errors.get(agentId)?.message !== error.message) news.push({ agentId, error });
      this.#errors.set(agentId, error);
    }
    return news;
  }

  /** The agents of a manifest that has changed. */
  replace(agents: readonly ManifestAgent[]): void {
    this.#agents = agents;
  }

  #withError(agent: ManifestAgent): Agent {
    const error = this.#errors.get(agent.agentId);
    return error ? { ...agent, error } : agent;
  }
}

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
