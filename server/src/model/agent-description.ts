import type { JsonText } from './json-text.ts';
import type { RunError } from './run/run.ts';

/** What the guest that has imported an agent says about it. */
export interface AgentDescription {
  /** Set when the agent could not be loaded. */
  error?: RunError;
  /** JSON schemas, when they were asked for and the agent could be loaded; `{"type":"object"}` where none can be made. */
  inputSchema?: JsonText;
  outputSchema?: JsonText;
  stateSchema?: JsonText;
  configSchema?: JsonText;
  /** Absent: the graph has no context schema. */
  contextSchema?: JsonText;
  /** `{nodes: [{id, type, name, metadata?}], edges: [{source, target, conditional, label?}]}`, when asked for. */
  graph?: JsonText;
}
