import { z } from 'zod';
import { agent, agentParams } from './agent.ts';
import { defineRoute } from './route.ts';

export const listAgents = defineRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tag: 'agents',
  summary: 'List the agents',
  description: "In the manifest's order; the first one is the default agent.",
  answers: { 200: { description: 'The agents.', schema: z.array(agent) } },
  errors: [],
});

export const getAgent = defineRoute({
  method: 'get',
  path: '/agents/{name}',
  operationId: 'getAgent',
  tag: 'agents',
  summary: 'Read an agent',
  description: 'One agent, by its name in the manifest.',
  params: agentParams,
  answers: { 200: { description: 'The agent.', schema: agent } },
  errors: ['invalid_request', 'agent_not_found'],
});
