import { agentToken, MORE_PAIRS, pairToken } from '../model/thread-index.ts';
import { INDEXED_METADATA_PAIRS } from '../model/limits.ts';
import type { ThreadFilter } from './port.ts';
import { workflowIdOf } from './thread-client.ts';

/** A text as a visibility query has it. Its parser knows doubled quotes and backslashes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** The open threads of one task queue, but for those of stateless runs. */
export function openThreads(taskQueue: string): string {
  return [
    `WorkflowType = 'threadWorkflow'`,
    `ExecutionStatus = 'Running'`,
    `TaskQueue = ${quoted(taskQueue)}`,
    'Ephemeral = false',
  ].join(' AND ');
}

/** Threads that were begun before 0.3.0 and have told the visibility store nothing but their status. */
export function untoldThreads(taskQueue: string): string {
  return `${openThreads(taskQueue)} AND RunStatus IS NULL`;
}

/**
 * The threads that a filter may fit: rows are compared with it once more. `withUntold`: those that have not told what
 * the filter asks for are among them.
 */
export function threadQuery(
  taskQueue: string,
  filter: ThreadFilter,
  { withUntold }: { withUntold: boolean },
): string {
  const { status, ids, idPrefix } = filter;
  const told = toldConditions(filter);
  const parts = [openThreads(taskQueue)];
  if (status !== undefined) parts.push(`ThreadStatus = ${quoted(status)}`);
  if (ids) parts.push(`WorkflowId IN (${ids.map((id) => quoted(workflowIdOf(id))).join(', ')})`);
  if (idPrefix !== undefined)
    parts.push(`WorkflowId STARTS_WITH ${quoted(workflowIdOf(idPrefix))}`);
  if (told.length > 0) {
    const all = told.join(' AND ');
    parts.push(withUntold ? `((${all}) OR RunStatus IS NULL)` : all);
  }
  return parts.join(' AND ');
}

/** Whether the filter asks for what threads tell since 0.3.0. */
export function asksForTold(filter: ThreadFilter): boolean {
  return toldConditions(filter).length > 0;
}

function toldConditions({ metadata = {}, agentId, runStatus }: ThreadFilter): string[] {
  // The engine refuses queries with some thousand conditions. A thread with more pairs than these has `MORE_PAIRS`.
  const pairs = Object.entries(metadata).slice(0, INDEXED_METADATA_PAIRS);
  return [
    ...pairs.map(([key, value]) => {
      return `ThreadMeta IN (${quoted(pairToken(key, value))}, ${quoted(MORE_PAIRS)})`;
    }),
    ...(agentId === undefined ? [] : [`RunAgent = ${quoted(agentToken(agentId))}`]),
    ...(runStatus === undefined ? [] : [`RunStatus = ${quoted(runStatus)}`]),
  ];
}
