import { contextSchemaOf } from './graph-context.ts';
import type { Graph } from './graph.ts';
import type { LangGraphLibrary } from './langgraph-library.ts';
import type { AgentDescription } from './wire.ts';

export type AgentSchemas = Pick<
  AgentDescription,
  | 'inputSchemaJson'
  | 'outputSchemaJson'
  | 'stateSchemaJson'
  | 'configSchemaJson'
  | 'contextSchemaJson'
>;

/** The JSON schemas of a graph: from its zod schemas where it has them, otherwise the names of its channels. */
export async function agentSchemas(graph: Graph, library: LangGraphLibrary): Promise<AgentSchemas> {
  const makers = await library.loadSchemas();
  // An entrypoint takes and returns any JSON; its types are gone at run time.
  if (!Array.isArray(graph.outputChannels)) {
    const any = '{}';
    const object = '{"type":"object"}';
    const ofState = { inputSchemaJson: any, outputSchemaJson: any, stateSchemaJson: any };
    return { ...ofState, configSchemaJson: object, contextSchemaJson: '' };
  }
  const state = graph.streamChannelsList;
  const output = graph.outputChannels;
  const schema = (maker: string, channels: string[]): string => {
    const fallback = { type: 'object', properties: namesOnly(channels) };
    try {
      return JSON.stringify(makers[maker]?.(graph) ?? fallback);
    } catch {
      return JSON.stringify(fallback); // a schema with something in it that JSON schema does not know
    }
  };
  return {
    inputSchemaJson: schema('getInputTypeSchema', state),
    outputSchemaJson: schema('getOutputTypeSchema', output),
    stateSchemaJson: schema('getStateTypeSchema', state),
    configSchemaJson: schema('getConfigTypeSchema', []),
    contextSchemaJson:
      contextSchemaOf(graph) === undefined ? '' : schema('getConfigTypeSchema', []),
  };
}

/** Graphs made with Annotation keep no types at run time: what a channel holds is not known. */
function namesOnly(channels: string[]): Record<string, object> {
  const own = channels.filter((channel) => !/^(?:__|branch:|join:)/.test(channel));
  return Object.fromEntries(own.map((channel) => [channel, {}]));
}
