import type { Agent } from '../agents/agent.ts';
import type { AgentId, RunId, ThreadId } from '../model/ids.ts';
import type { JsonText } from '../model/json.ts';
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

/** A call of an agent's chat model outside of its runs. */
export interface ModelCall {
  agentId: AgentId;
  threadId: ThreadId;
  /** Which of the agent's models: what the trace of the recorded call has. */
  name: string;
  model?: string;
  recordedParams: JsonText;
  messages: JsonText;
  params: JsonText;
}

/** What a model returned. */
export interface CalledModel {
  output: JsonText;
  usage?: JsonText;
  latencyMs: number;
  model?: string;
}

/** The models of this service's agents. */
export interface ModelCallPort {
  /**
   * Rejects with a ServiceError: `model_not_found`, `model_failed`, `agent_not_loaded`, `agent_not_found`,
   * `invalid_request`, `payload_too_large`, or `guest_unavailable`.
   */
  callModel(call: ModelCall, signal: AbortSignal): Promise<CalledModel>;
}

/** The version of the agents' code. */
export interface AgentVersionPort {
  /** Undefined when it cannot be determined. Never rejects. */
  current(): Promise<string | undefined>;
}
