/** Changes of a thread's state between its runs (Spec: POST /threads/{thread_id}/state). */
import { applyOp, findCheckpoint } from './checkpoint-store.ts';
import type { Refusal } from './thread-reducer.ts';
import { OUTSIDE_RUNS, threadStatus, type ThreadState } from './thread-state.ts';
import type { StateCommit } from './thread-wire.ts';

/** Whether the change may be made now: nothing runs, and the state is the one that it was computed from. */
export function checkStateCommit(state: ThreadState, commit: StateCommit): Refusal | undefined {
  if (isCommitted(state, commit)) return undefined;
  if (state.stopped) {
    const message = `The thread takes no change: ${state.stopped.message}`;
    return { code: 'thread_stopped', message };
  }
  if (threadStatus(state) === 'busy') {
    return { code: 'thread_busy', message: 'A run is active or queued on the thread.' };
  }
  if (state.revision === commit.expectedRevision) return undefined;
  return { code: 'thread_busy', message: 'The state was changed by somebody else meanwhile.' };
}

/**
 * Makes the change, once. The thread's status stays: an interrupted thread keeps its question, whose id may be another
 * one now. All such checkpoints are retained as if one run had made them.
 */
export function commitState(state: ThreadState, commit: StateCommit): void {
  if (isCommitted(state, commit)) return;
  for (const op of commit.ops) {
    applyOp(state.store, op, OUTSIDE_RUNS, state.settings.maxCheckpointHistory);
    state.revision += 1;
  }
  state.questions = commit.questions;
  state.agentId = commit.agentId;
  state.updatedAt = commit.now;
}

/** The engine forgets which Updates it has seen when a thread goes on in another execution. */
function isCommitted(state: ThreadState, { ops }: StateCommit): boolean {
  return ops.some(
    (op) =>
      op.kind === 'save' &&
      findCheckpoint(state.store, op.checkpoint.ns, op.checkpoint.id) !== undefined,
  );
}
