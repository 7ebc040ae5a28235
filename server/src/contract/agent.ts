import { z } from 'zod';
import { depthQuery, jsonObject, limitBody, offsetBody } from './scalars.ts';

export const agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    description: z.exactOptional(z.string()),
    metadata: z.exactOptional(jsonObject).meta({ description: 'Omitted when empty.' }),
    capabilities: z.object({ supports_interrupt: z.boolean(), supports_streaming: z.boolean() }),
    language: z
      .exactOptional(z.enum(['python', 'javascript']))
      .meta({ description: 'Extension: what the agent is written in.' }),
    error: z
      .exactOptional(
        z.object({ code: z.string(), message: z.string(), traceback: z.exactOptional(z.string()) }),
      )
      .meta({ description: 'Extension: why the agent could not be loaded.' }),
  })
  .meta({ id: 'Agent' });

export const agentParams = z.object({ name: z.string() });

export const agentSearchBody = z
  .object({
    metadata: z.exactOptional(jsonObject).meta({
      description:
        'Agents whose metadata has each of these members with an equal value. Objects and arrays are compared as wholes.',
    }),
    limit: limitBody,
    offset: offsetBody,
  })
  .meta({ id: 'AgentSearch', example: { metadata: { team: 'support' }, limit: 10 } });

const jsonSchema = jsonObject.meta({ id: 'JsonSchema', description: 'A JSON schema.' });

export const agentSchemas = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    description: z.exactOptional(z.string()),
    input_schema: jsonSchema,
    output_schema: jsonSchema,
    state_schema: z.exactOptional(jsonSchema),
    config_schema: z.exactOptional(jsonSchema).meta({
      description: 'Of `config.configurable`, or of the context of agents that have one.',
    }),
    context_schema: z.exactOptional(jsonSchema).meta({
      description: 'Extension: of the `context` of a run. Left out where the agent declares none.',
    }),
  })
  .meta({
    id: 'AgentSchemas',
    example: {
      agent_id: 'research',
      name: 'research',
      input_schema: { type: 'object', properties: { question: { type: 'string' } } },
      output_schema: { type: 'object', properties: { report: { type: 'string' } } },
      state_schema: { type: 'object' },
      config_schema: { type: 'object' },
    },
  });

export const agentGraphQuery = z.object({ depth: depthQuery });

export const agentGraph = z
  .object({
    agent_id: z.string(),
    nodes: z.array(
      z.object({
        id: z.string(),
        type: z.enum(['start', 'end', 'node', 'subgraph']),
        name: z.string(),
        metadata: z.exactOptional(jsonObject),
      }),
    ),
    edges: z.array(
      z.object({
        source: z.string(),
        target: z.string(),
        conditional: z.boolean(),
        label: z.exactOptional(z.string()),
      }),
    ),
  })
  .meta({
    id: 'AgentGraph',
    description: 'Extension. Both lists are empty when the graph cannot be drawn.',
    example: {
      agent_id: 'chat',
      nodes: [
        { id: '__start__', type: 'start', name: '__start__' },
        { id: 'reply', type: 'node', name: 'reply' },
        { id: '__end__', type: 'end', name: '__end__' },
      ],
      edges: [
        { source: '__start__', target: 'reply', conditional: false },
        { source: 'reply', target: '__end__', conditional: false },
      ],
    },
  });

export type AgentWire = z.infer<typeof agent>;
export type AgentSchemasWire = z.infer<typeof agentSchemas>;
export type AgentGraphWire = z.infer<typeof agentGraph>;
