import { z } from 'zod';
import {
  nodeStats,
  nodeStatsQuery,
  modelCallBody,
  modelCallResult,
  recordedInput,
  recordedRun,
  runListQuery,
  runSearchBody,
  runSearchResult,
  runStats,
  runTrace,
  statsQuery,
} from './history.ts';
import { asksModelCall, asksRun, asksRunSearch } from './permissions.ts';
import { defineRoute } from './route.ts';
import { runParams } from './run.ts';

const historyErrors = ['history_disabled', 'history_unavailable'] as const;

const kept =
  'From the run history: what is older than `history.retention`, or beyond `history.max_bytes`, is gone.';

export const listAllRuns = defineRoute({
  method: 'get',
  path: '/runs',
  operationId: 'listAllRuns',
  tag: 'run history',
  asks: asksRunSearch,
  summary: 'List the runs of all threads',
  description: `Extension: newest activity first; \`X-Pagination-Next\` is the \`cursor\` of the next page. ${kept}`,
  query: runListQuery,
  responses: { 200: { description: 'The runs.', schema: z.array(recordedRun) } },
  errors: ['invalid_request', ...historyErrors],
});

export const searchRuns = defineRoute({
  method: 'post',
  path: '/runs/search',
  operationId: 'searchRuns',
  tag: 'run history',
  asks: asksRunSearch,
  summary: 'Search the runs of all threads',
  description: `Extension: runs that fit everything given, newest activity first; \`X-Pagination-Next\` is the \`cursor\` of the next page, also when this one is shorter than \`limit\`. ${kept}`,
  body: runSearchBody,
  isRead: true,
  responses: { 200: { description: 'The runs.', schema: runSearchResult } },
  errors: [...historyErrors],
});

export const getRunInput = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/input',
  operationId: 'getRunInput',
  tag: 'run history',
  asks: [asksRun('read')],
  summary: 'Read the input of a run',
  description: `Extension: the input or the command that the run was created with. ${kept}`,
  params: runParams,
  responses: { 200: { description: 'The input.', schema: recordedInput } },
  errors: ['run_not_found', ...historyErrors],
});

export const getRunTrace = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/trace',
  operationId: 'getRunTrace',
  tag: 'run history',
  asks: [asksRun('read')],
  summary: 'Read the trace of a run',
  description: `Extension: its attempts, nodes, model calls and tool calls in the order of their beginnings, also while the run goes on. The tree is in \`parent_id\`; a span without one belongs to its attempt. ${kept}`,
  params: runParams,
  responses: { 200: { description: 'The trace.', schema: runTrace } },
  errors: ['run_not_found', ...historyErrors],
});

export const streamRunTrace = defineRoute({
  method: 'get',
  path: '/runs/{run_id}/trace/stream',
  operationId: 'streamRunTrace',
  tag: 'run history',
  asks: [asksRun('read')],
  summary: 'Follow the trace of a run',
  description: `Extension: server-sent events named \`trace\`, each a RunTrace: first all of it, then the run and the spans that are new or have changed, until its record has ended. A later span of the same id replaces the earlier one. \`: heartbeat\` comes every 10 s. A reader that connects again begins with all of it. ${kept}`,
  params: runParams,
  responses: { 200: { description: 'The events.', mediaType: 'text/event-stream' } },
  errors: ['run_not_found', ...historyErrors],
});

export const callModelAgain = defineRoute({
  method: 'post',
  path: '/runs/{run_id}/calls',
  operationId: 'callModelAgain',
  tag: 'run history',
  asks: asksModelCall,
  summary: 'Call a model of a run again, with other messages or parameters',
  description:
    'Extension: calls the agent’s own model object in its guest, without its graph: there is no run, no checkpoint and no record of it, and the thread stays as it is. The model is that of the agent’s current version; of `params`, members that are left out keep what the object has. A client that disconnects cancels the call; after 300 s it fails.',
  params: runParams,
  body: modelCallBody,
  responses: { 200: { description: 'What the model returned.', schema: modelCallResult } },
  errors: [
    'run_not_found',
    'span_not_found',
    'agent_not_found',
    'agent_not_loaded',
    'model_not_found',
    'model_failed',
    'guest_unavailable',
    ...historyErrors,
  ],
});

export const getRunStats = defineRoute({
  method: 'get',
  path: '/stats/runs',
  operationId: 'getRunStats',
  tag: 'run history',
  asks: asksRunSearch,
  summary: 'Count runs, errors, latencies and tokens',
  description: `Extension: figures of the runs that were created in a window of time, in all, over time and by agent. With a policy that hides runs, of the newest 2,000 that the caller may read. ${kept}`,
  query: statsQuery,
  responses: { 200: { description: 'The figures.', schema: runStats } },
  errors: ['invalid_request', ...historyErrors],
});

export const getNodeStats = defineRoute({
  method: 'get',
  path: '/stats/nodes',
  operationId: 'getNodeStats',
  tag: 'run history',
  asks: asksRunSearch,
  summary: 'Count calls, errors and latencies of the nodes of an agent',
  description: `Extension: figures of each node, from the newest runs of the agent that were created in a window of time. With a policy that hides runs, of those that the caller may read. ${kept}`,
  query: nodeStatsQuery,
  responses: { 200: { description: 'The figures.', schema: nodeStats } },
  errors: ['invalid_request', ...historyErrors],
});
