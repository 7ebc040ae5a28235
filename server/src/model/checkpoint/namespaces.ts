import { type CheckpointStore, findCheckpoint } from './checkpoint-store.ts';
import type { Payload } from './payload.ts';

/** What checkpoint namespaces say about how long their heads are wanted. */

/**
 * Whether a namespace belongs to one call of a sub-graph: LangGraph names it `node:task_id`. One without the id of a
 * task is the root, or a sub-graph with a memory of its own (`checkpointer=True`), which goes on there in every run.
 */
function isOfTask(ns: string): boolean {
  return ns.includes(':');
}

/**
 * Whether somebody may go on from the head of a namespace. From that of a task only while its step has not ended: the
 * root's checkpoint behind the step is newer, and ids of checkpoints are in the order of time (uuid version 6).
 */
export function isHeadWanted<P extends Payload>(store: CheckpointStore<P>, ns: string): boolean {
  if (!isOfTask(ns)) return true;
  const root = findCheckpoint(store, '');
  const head = findCheckpoint(store, ns);
  return root === undefined || head === undefined || head.id > root.id;
}
