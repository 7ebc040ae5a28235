import type { Agent } from '../agents/agent.ts';
import type { AgentId, RunId } from '../model/ids.ts';
import type { AgentDescription } from '../model/agent-description.ts';
import type { RunSandbox } from '../model/run/run.ts';

/** The sandboxes of this process's latest runs, as long as they are kept. */
export interface RunSandboxPort {
  read(runId: RunId): RunSandbox | undefined;
  remove(runId: RunId): void;
}

/** A line that a run's agent wrote to stdout or stderr. */
export interface OutputLine {
  /** Counted from 1, over all attempts of the run. */
  id: number;
  /** Milliseconds. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  attempt: number;
}

/** The output of runs' agents, as long as it is kept. */
export interface RunOutputPort {
  /** Oldest first. */
  read(runId: RunId): readonly OutputLine[];
  /** How many lines the run has written, kept or not. */
  written(runId: RunId): number;
  remove(runId: RunId): void;
}

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
