import { v5 as uuidv5 } from 'uuid';
import type { JsonText } from './json.ts';
import type { RunError } from './run/run.ts';
import { toBytes } from './frame.ts';

/** The namespace from which LangGraph Server derives the ids of its own assistants. */
const GRAPHS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

/** The ids by which LangGraph's server identifies an agent. */
export function langGraphIds(agentId: string): { graph_id: string; assistant_id: string } {
  return { graph_id: agentId, assistant_id: assistantIdOf(agentId) };
}

/** The id of an agent's assistant: the one that LangGraph Server would give it. */
export function assistantIdOf(agentId: string): string {
  // As bytes, because uuid rejects a string with an unpaired surrogate.
  return uuidv5(toBytes(agentId), GRAPHS);
}

/** The description of an agent by the guest that has imported it. */
export interface AgentDescription {
  /** Set when the agent could not be loaded. */
  error?: RunError;
  /** JSON schemas, when requested and the agent could be loaded; `{"type":"object"}` where none can be made. */
  inputSchema?: JsonText;
  outputSchema?: JsonText;
  stateSchema?: JsonText;
  configSchema?: JsonText;
  /** Absent: the graph has no context schema. */
  contextSchema?: JsonText;
  /** `{nodes: [{id, type, name, metadata?}], edges: [{source, target, conditional, label?}]}`, when requested. */
  graph?: JsonText;
}
