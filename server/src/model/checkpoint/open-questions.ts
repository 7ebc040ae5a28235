import { findCheckpoint, type CheckpointStore } from './checkpoint-store.ts';
import { fromBytes, toBytes } from '../frame.ts';
import type { Payload } from './payload.ts';
import type { StoredWrite } from './stored.ts';

const INTERRUPT = '__interrupt__';

/** Channels that say nothing about whether their task has come to an end. */
const NO_RESULTS = new Set([INTERRUPT, '__resume__', '__error__', '__scheduled__']);

/** Whether a pending write is the question of a task. */
export function isQuestion({ channel }: { channel: string }): boolean {
  return channel === INTERRUPT;
}

/** Of a checkpoint's pending writes those with the questions of tasks that have no result yet. */
export function openQuestions<P extends Payload>(writes: readonly StoredWrite<P>[]): P[] {
  return asking(writes).flatMap(({ json }) => json ?? []);
}

/** Whether a question waits at the root's head, whatever became of the runs since. */
export function isHeadAsking<P extends Payload>(store: CheckpointStore<P>): boolean {
  return asking(findCheckpoint(store, '')?.writes ?? []).length > 0;
}

function asking<P extends Payload>(writes: readonly StoredWrite<P>[]): StoredWrite<P>[] {
  const done = new Set(
    writes.filter(({ channel }) => !NO_RESULTS.has(channel)).map(({ taskId }) => taskId),
  );
  return writes.filter((write) => isQuestion(write) && !done.has(write.taskId));
}

/** The questions of several tasks as one list, [{id, value}] in JSON bytes. */
export function joinQuestions(lists: readonly Uint8Array[]): Uint8Array {
  const questions = lists.flatMap((list) => {
    const asked: unknown = JSON.parse(fromBytes(list));
    return Array.isArray(asked) ? (asked as unknown[]) : []; // the guest's projection
  });
  return toBytes(JSON.stringify(questions));
}
