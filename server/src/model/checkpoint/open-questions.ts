import { findCheckpoint, type CheckpointStore } from './checkpoint-store.ts';
import { fromBytes, toBytes } from '../frame.ts';
import type { Payload } from './payload.ts';
import type { StoredWrite } from './stored.ts';

const INTERRUPT = '__interrupt__';

/** Channels that do not show whether their task has ended. */
const NO_RESULTS = new Set([INTERRUPT, '__resume__', '__error__', '__scheduled__']);

/** Whether a pending write is the question of a task. */
export function isQuestion({ channel }: { channel: string }): boolean {
  return channel === INTERRUPT;
}

/** The questions among a checkpoint's pending writes, of tasks that have no result yet. */
export function openQuestions<P extends Payload>(writes: readonly StoredWrite<P>[]): P[] {
  return askingWrites(writes).flatMap(({ json }) => json ?? []);
}

/** Whether a question is open at the root's head, whatever the later runs resulted in. */
export function isHeadAsking<P extends Payload>(store: CheckpointStore<P>): boolean {
  return askingWrites(findCheckpoint(store, '')?.writes ?? []).length > 0;
}

/** The pending writes that are questions of tasks that have no result yet. */
export function askingWrites<P extends Payload>(
  writes: readonly StoredWrite<P>[],
): StoredWrite<P>[] {
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
