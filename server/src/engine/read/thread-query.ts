import { agentToken, MORE_PAIRS, pairToken } from '../../model/thread/thread-index.ts';
import { INDEXED_METADATA_PAIRS } from '../../model/limits/limits.ts';
import type { ThreadFilter } from '../requests.ts';
import { workflowIdOf } from '../client/thread-client.ts';

/** A text as a visibility query literal. The query parser interprets doubled quotes and backslashes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** The open threads of one task queue, except those of stateless runs. */
export function openThreads(taskQueue: string): string {
  return [
    `WorkflowType = 'threadWorkflow'`,
    `ExecutionStatus = 'Running'`,
    `TaskQueue = ${quoted(taskQueue)}`,
    'Ephemeral = false',
  ].join(' AND ');
}

/** The threads that may match a filter: rows are compared with it once more. */
export function threadQuery(taskQueue: string, filter: ThreadFilter): string {
  const { status, ids, idPrefix, metadata = {}, agentId, runStatus } = filter;
  const parts = [openThreads(taskQueue)];
  if (status !== undefined) parts.push(`ThreadStatus = ${quoted(status)}`);
  if (ids) parts.push(`WorkflowId IN (${ids.map((id) => quoted(workflowIdOf(id))).join(', ')})`);
  if (idPrefix !== undefined)
    parts.push(`WorkflowId STARTS_WITH ${quoted(workflowIdOf(idPrefix))}`);
  // The engine refuses queries with some thousand conditions. A thread with more pairs than these has `MORE_PAIRS`.
  for (const [key, value] of Object.entries(metadata).slice(0, INDEXED_METADATA_PAIRS)) {
    parts.push(`ThreadMeta IN (${quoted(pairToken(key, value))}, ${quoted(MORE_PAIRS)})`);
  }
  if (agentId !== undefined) parts.push(`RunAgent = ${quoted(agentToken(agentId))}`);
  if (runStatus !== undefined) parts.push(`RunStatus = ${quoted(runStatus)}`);
  return parts.join(' AND ');
}
