/** How long the head of a checkpoint namespace is needed. */
import { type CheckpointStore, findCheckpoint } from './checkpoint-store.ts';
import type { Payload } from './payload.ts';

/**
 * Whether a namespace belongs to one call of a sub-graph: LangGraph names it `node:task_id`. A namespace without a task
 * id is the root, or a sub-graph with its own memory (`checkpointer=True`), which continues there in every run.
 */
function isOfTask(ns: string): boolean {
  return ns.includes(':');
}

/**
 * Whether a run may continue from the head of a namespace. From that of a task only while its step has not ended: the
 * root's checkpoint after the step is newer, and ids of checkpoints are in the order of time (uuid version 6).
 */
export function isHeadWanted<P extends Payload>(store: CheckpointStore<P>, ns: string): boolean {
  if (!isOfTask(ns)) return true;
  const root = findCheckpoint(store, '');
  const head = findCheckpoint(store, ns);
  return root === undefined || head === undefined || head.id > root.id;
}
