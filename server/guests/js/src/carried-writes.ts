import type {
  BaseCheckpointSaver,
  CheckpointPendingWrite,
  CheckpointTuple,
} from '@langchain/langgraph-checkpoint';
import { isDeepStrictEqual } from 'node:util';
import { configOf, isGraphAnswer, noTask } from './checkpoint-codec.ts';
import {
  checkpointConfigOf,
  type Graph,
  type CheckpointConfig,
  type StateSnapshot,
} from './graph.ts';
import type { InterruptIds } from './langgraph-library.ts';

/** Where a step's writes come from, and the checkpoint that they go to. */
interface Step {
  head: CheckpointTuple;
  /** The snapshot of the head. */
  before: StateSnapshot;
  target: CheckpointConfig;
}

interface Parts {
  graph: Graph;
  saver: BaseCheckpointSaver<string>;
  interruptIdOf: InterruptIds | undefined;
}

/** An error belongs to the attempt that failed; the node is tried again. */
const leftBehind = new Set(['__error__', '__error_source_node__']);
const noResults = new Set([...leftBehind, '__interrupt__', '__resume__', '__scheduled__']);

/**
 * Saves the pending writes of a checkpoint beside the one that an update made of it, under the tasks' new ids: a
 * task's id depends on its checkpoint, so LangGraph's own updateState loses the questions that wait for an answer, the
 * answers given so far, and the results of finished neighbours. The heads of declared sub-graphs go along. A step
 * that has all its results is in the past: a client that writes upon its start wants it done again.
 * Returns how the ids of interrupts have changed.
 */
export async function carryWrites(parts: Parts, step: Step): Promise<Map<string, string>> {
  const { head, before, target } = step;
  const renamed = new Map<string, string>();
  const pending = head.pendingWrites ?? [];
  const done = new Set(pending.filter(([, name]) => !noResults.has(name)).map(([id]) => id));
  if (before.tasks.every(({ id }) => done.has(id))) return renamed;

  const after = await parts.graph.getState(target);
  const newIds = new Map(after.tasks.map(({ path, id }) => [JSON.stringify(path), id]));
  const taskIds = new Map<string, string>();
  for (const task of before.tasks) {
    const newId = newIds.get(JSON.stringify(task.path));
    if (newId === undefined) continue;
    taskIds.set(task.id, newId);
    const from = below(head.config, task.name, task.id);
    const to = below(target, task.name, newId);
    for (let count = 0; parts.interruptIdOf && count <= answersOf(pending, task.id); count += 1) {
      renamed.set(parts.interruptIdOf(from, count), parts.interruptIdOf(to, count));
    }
    if (task.state === undefined) continue;
    for (const pair of await carrySubGraph(parts, { from, to, target })) renamed.set(...pair);
  }

  const carried = new Map<string, [string, unknown][]>();
  const dropsAnswer = isAnswerTaken(pending);
  for (const write of pending) {
    const [taskId, name, value] = write;
    const newId = taskId === noTask ? noTask : taskIds.get(taskId);
    if (newId === undefined || leftBehind.has(name)) continue;
    if (dropsAnswer && isGraphAnswer(write)) continue;
    const carriedValue = name === '__interrupt__' ? withNewId(value, renamed) : value;
    carried.set(newId, [...(carried.get(newId) ?? []), [name, carriedValue]]);
  }
  for (const [taskId, writes] of carried) await parts.saver.putWrites(target, writes, taskId);
  return renamed;
}

async function carrySubGraph(
  parts: Parts,
  { from, to, target }: { from: string; to: string; target: CheckpointConfig },
): Promise<Map<string, string>> {
  const {
    thread_id: threadId,
    checkpoint_ns: ns,
    checkpoint_id: parentId,
  } = checkpointConfigOf(target).configurable;
  const head = await parts.saver.getTuple(configOf({ threadId, ns: from, checkpointId: '' }));
  if (head === undefined) return new Map();
  const before = await parts.graph.getState(checkpointConfigOf(head.config));
  const metadata = {
    source: 'update' as const,
    step: -1,
    ...head.metadata,
    parents: { ...head.metadata?.parents, [ns]: parentId ?? '' },
  };
  const saved = await parts.saver.put(
    configOf({ threadId, ns: to, checkpointId: '' }),
    head.checkpoint,
    metadata,
    head.checkpoint.channel_versions,
  );
  return carryWrites(parts, { head, before, target: checkpointConfigOf(saved) });
}

function below(config: CheckpointConfig, node: string, taskId: string): string {
  const { checkpoint_ns: ns } = checkpointConfigOf(config).configurable;
  return ns === '' ? `${node}:${taskId}` : `${ns}|${node}:${taskId}`;
}

/** An upper bound of how many answers a task has been given. */
function answersOf(pending: CheckpointPendingWrite[], taskId: string): number {
  return pending
    .filter(([owner, name]) => name === '__resume__' && (owner === taskId || owner === noTask))
    .reduce((sum, [, , value]) => sum + (Array.isArray(value) ? value.length : 1), 0);
}

/** A task has taken the answer that is recorded for the first task to ask. */
function isAnswerTaken(pending: CheckpointPendingWrite[]): boolean {
  const answer = pending.find(isGraphAnswer);
  if (answer === undefined) return false;
  return pending.some(
    ([taskId, name, value]) =>
      taskId !== noTask &&
      name === '__resume__' &&
      isDeepStrictEqual(Array.isArray(value) ? value.at(-1) : value, answer[2]),
  );
}

/** Interrupts under the ids that their tasks will be answered by. */
function withNewId(value: unknown, renamed: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewId(item, renamed));
  if (typeof value !== 'object' || value === null || !('id' in value)) return value;
  const id = renamed.get(String(value.id));
  return id === undefined ? value : { ...value, id };
}
