/** Changes of a thread's state between its runs (Spec: POST /threads/{thread_id}/state). */
import { applyOp } from './checkpoint-store.ts';
import type { Refusal } from '../thread/thread-reducer.ts';
import { OUTSIDE_RUNS, type ThreadState } from '../thread/thread-record.ts';
import { threadStatus } from '../thread/thread-state.ts';
import type { StateCommit } from '../thread/thread-wire.ts';

/** Whether the change may be made now: no run is active, and the state is the one that it was computed from. */
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
  return { code: 'thread_busy', message: 'The state was changed by another request meanwhile.' };
}

/**
 * Makes the change, once. Without a status of its own the thread's does not change: an interrupted thread keeps its
 * question, whose id may differ now. All such checkpoints are retained as if one run had made them.
 */
export function commitState(state: ThreadState, commit: StateCommit): void {
  if (isCommitted(state, commit)) return;
  for (const op of commit.ops) {
    applyOp(state.store, op, OUTSIDE_RUNS, state.settings.maxCheckpointHistory);
    state.revision += 1;
  }
  const made = checkpointIds(commit).slice(0, 1);
  state.commits = [...(state.commits ?? []), ...made].slice(-REMEMBERED_COMMITS);
  state.questions = commit.questions;
  if (commit.status) {
    state.left = commit.status;
    delete state.isWithdrawn;
  }
  state.agentId = commit.agentId;
  state.updatedAt = commit.now;
}

/**
 * The engine forgets which Updates it has seen when a thread continues in another execution, and the checkpoints of
 * such a change may have been pruned by the next one. A change that is repeated after this many others is made again.
 */
const REMEMBERED_COMMITS = 20;

function isCommitted({ commits }: ThreadState, commit: StateCommit): boolean {
  return checkpointIds(commit).some((id) => commits?.includes(id));
}

function checkpointIds({ ops }: StateCommit): string[] {
  return ops.flatMap((op) => (op.kind === 'save' ? [op.checkpoint.id] : []));
}
