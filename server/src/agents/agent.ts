import type { AgentId } from '../model/ids.ts';
import type { RunError } from '../model/run/run.ts';

export type AgentLanguage = 'python' | 'javascript';

/** An agent as the manifest names it. */
export interface ManifestAgent {
  agentId: AgentId;
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  language: AgentLanguage;
  /** `./file.py:variable` or `package.module:variable`, below the agent folder. */
  path: string;
  /** Absent: nothing. */
  assistant?: AssistantDefaults;
}

/** What runs have that a client of LangGraph Server makes by the agent's own assistant. */
export interface AssistantDefaults {
  config: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** An agent with the result of its import by the guest. */
export interface Agent extends ManifestAgent {
  /** Set when the agent could not be loaded. */
  error?: RunError;
}
