import { ServiceError } from '../errors/service-error.ts';
import type { AgentId } from '../model/ids.ts';
import type { RunError } from '../model/run/run.ts';
import type { Agent, ManifestAgent } from './agent.ts';
import type { DescribedAgent } from './describe-port.ts';

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
