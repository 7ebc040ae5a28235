/*
 * Agents: an agent folder's manifest (`manifest-file.ts` reads it, `manifest.ts` checks it), the agents it names with
 * their descriptions, and the version that identifies their source. Agent code is never loaded here: guests do that.
 */
import { ServiceError } from '../errors/service-error.ts';
import type { AgentId } from '../model/ids.ts';
import type { RunError } from '../model/run/run.ts';
import type { Agent, ManifestAgent } from './agent.ts';
import type { Logger } from '../observability/logger.ts';

/** The result of an agent's import by a guest. */
export interface DescribedAgent {
  agentId: AgentId;
  /** Set when the agent could not be loaded. */
  error?: RunError;
}

/** The agents of this service: the manifest's entries and the results of their import. */
export class AgentRegistry {
  #agents: readonly ManifestAgent[];
  readonly #errors = new Map<AgentId, RunError>();

  constructor(agents: readonly ManifestAgent[]) {
    this.#agents = agents;
  }

  /** The agent of that name; without a name, the manifest's first one; throws `agent_not_found` for an unknown name. */
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

  /** Records which agents could be loaded and which could not; returns the new failures. */
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

  /** Replaces the agents after a change of the manifest. */
  replace(agents: readonly ManifestAgent[]): void {
    this.#agents = agents;
  }

  #withError(agent: ManifestAgent): Agent {
    const error = this.#errors.get(agent.agentId);
    return error ? { ...agent, error } : agent;
  }
}

/**
 * Records the results of a guest's import of its agents, and logs each reason of a failure once; returns whether there
 * was a new one.
 */
export function learnFrom(
  described: readonly DescribedAgent[],
  { agents, logger }: { agents: AgentRegistry; logger: Pick<Logger, 'warn'> },
): boolean {
  const failures = agents.learn(described);
  for (const { agentId, error } of failures) {
    const about = { agent_id: agentId, reason: error.message };
    logger.warn(about, 'an agent could not be loaded');
  }
  return failures.length > 0;
}
