import { v5 as uuidv5 } from 'uuid';
import { toBytes } from './frame.ts';

/** The namespace from which LangGraph Server makes the ids of its own assistants. */
const GRAPHS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

/** By what LangGraph's server names an agent. */
export function langGraphIds(agentId: string): { graph_id: string; assistant_id: string } {
  return { graph_id: agentId, assistant_id: assistantIdOf(agentId) };
}

/** The id of an agent's assistant: the one that LangGraph Server would give it. */
export function assistantIdOf(agentId: string): string {
  // As bytes: of text uuid takes none with half a character in it.
  return uuidv5(toBytes(agentId), GRAPHS);
}
