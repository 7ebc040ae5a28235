import { z } from 'zod';
import { asksPolicies } from './permissions.ts';
import {
  accessRecord,
  decisionsQuery,
  decisionStreamQuery,
  permissions,
  permissionsBody,
  policyDecision,
  policyDescription,
  porcBody,
} from './policy.ts';
import { defineRoute } from './route.ts';

const hidden =
  'In test mode for everybody; otherwise for those whom the policies permit it, and without policy files for no caller (404).';

export const getPolicy = defineRoute({
  method: 'get',
  path: '/policy',
  operationId: 'getPolicy',
  tag: 'policy',
  asks: asksPolicies('read'),
  summary: 'Read which policies are in use',
  description: `Extension: the policy domains that decide, and the principals of their tests. ${hidden}`,
  responses: { 200: { description: 'The policies.', schema: policyDescription } },
  errors: ['policies_disabled'],
});

export const listDecisions = defineRoute({
  method: 'get',
  path: '/policy/decisions',
  operationId: 'listDecisions',
  tag: 'policy',
  asks: asksPolicies('read'),
  summary: 'List the latest decisions',
  description: `Extension: what the policies were asked last, newest first, as far as this service remembers; questions about \`service:policy\` are left out. \`X-Pagination-Total\` tells how many fit, \`X-Pagination-Next\` is the \`before\` of the next page. ${hidden}`,
  query: decisionsQuery,
  responses: { 200: { description: 'The decisions.', schema: z.array(accessRecord) } },
  errors: ['invalid_request', 'policies_disabled'],
});

export const streamDecisions = defineRoute({
  method: 'get',
  path: '/policy/decisions/stream',
  operationId: 'streamDecisions',
  tag: 'policy',
  asks: asksPolicies('read'),
  summary: 'Follow the decisions',
  description: `Extension: server-sent events named \`decision\`, each an AccessRecord with its id, from now on or from Last-Event-ID on. Comments: \`: heartbeat\` every 10 s, \`: gap\` where decisions are no longer remembered. ${hidden}`,
  query: decisionStreamQuery,
  responses: { 200: { description: 'The events.', mediaType: 'text/event-stream' } },
  errors: ['invalid_request', 'policies_disabled'],
});

export const explainDecision = defineRoute({
  method: 'post',
  path: '/policy/explain',
  operationId: 'explainDecision',
  tag: 'policy',
  asks: asksPolicies('explain'),
  summary: 'Explain a decision',
  description: `Extension: what the policies say to a question (PORC), phase by phase. Nothing is done, and nothing is logged as decided. A question that is no PORC is denied in the phase \`input\`. ${hidden}`,
  body: porcBody,
  responses: { 200: { description: 'The decision.', schema: policyDecision } },
  errors: ['policies_disabled'],
});

export const listPermissions = defineRoute({
  method: 'post',
  path: '/policy/permissions',
  operationId: 'listPermissions',
  tag: 'policy',
  asks: asksPolicies('explain'),
  summary: 'List what a principal may do',
  description: `Extension: the operations on a thread, with an agent, or, when neither is given, those that concern no certain thing, and whether the policies allow each. ${hidden}`,
  body: permissionsBody,
  responses: { 200: { description: 'The operations.', schema: permissions } },
  errors: ['thread_not_found', 'agent_not_found', 'policies_disabled'],
});
