import { z } from 'zod';
import {
  agent,
  agentGraph,
  agentGraphQuery,
  agentParams,
  agentSchemas,
  agentSearchBody,
} from './agent.ts';
import { asksAgent, asksAgents } from './permissions.ts';
import { defineRoute } from './route.ts';

export const listAgents = defineRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tag: 'agents',
  asks: asksAgents('list'),
  summary: 'List the agents',
  description: "In the manifest's order; the first one is the default agent.",
  responses: { 200: { description: 'The agents.', schema: z.array(agent) } },
  errors: [],
});

export const getAgent = defineRoute({
  method: 'get',
  path: '/agents/{name}',
  operationId: 'getAgent',
  tag: 'agents',
  asks: [asksAgent],
  summary: 'Read an agent',
  description: 'One agent, by its name in the manifest.',
  params: agentParams,
  responses: { 200: { description: 'The agent.', schema: agent } },
  errors: ['invalid_request', 'agent_not_found'],
});

export const searchAgents = defineRoute({
  method: 'post',
  path: '/agents/search',
  operationId: 'searchAgents',
  tag: 'agents',
  asks: asksAgents('search'),
  summary: 'Search agents',
  description:
    "The agents with this metadata, in the manifest's order; without a body the first 100 of all. The headers `X-Pagination-Total` and `X-Pagination-Next` tell how many there are and where the next page begins.",
  body: agentSearchBody,
  responses: { 200: { description: 'The agents.', schema: z.array(agent) } },
  errors: [],
});

const describeErrors = [
  'invalid_request',
  'agent_not_found',
  'agent_not_loaded',
  'guest_unavailable',
] as const;

export const getAgentSchemas = defineRoute({
  method: 'get',
  path: '/agents/{name}/schemas',
  operationId: 'getAgentSchemas',
  tag: 'agents',
  asks: [asksAgent],
  summary: "Read an agent's schemas",
  description:
    'The JSON schemas of what the agent takes, gives, keeps and can be configured with, as LangGraph makes them. One that cannot be made is `{"type":"object"}`. They are asked of the agent\'s code once, until it changes.',
  params: agentParams,
  responses: { 200: { description: 'The schemas.', schema: agentSchemas } },
  errors: describeErrors,
});

export const getAgentGraph = defineRoute({
  method: 'get',
  path: '/agents/{name}/graph',
  operationId: 'getAgentGraph',
  tag: 'agents',
  asks: [asksAgent],
  summary: "Read an agent's graph",
  description:
    'Extension: nodes and edges, as LangGraph draws them. With `depth`, sub-graphs are drawn from within; the ids of their nodes then begin with `<node>:`.',
  params: agentParams,
  query: agentGraphQuery,
  responses: { 200: { description: 'The graph.', schema: agentGraph } },
  errors: describeErrors,
});
