/*
 * The cost of a change does not grow with the thread. An Update reads only its run and its namespace: checkpoints are
 * found by bisection, indexed by run, and long lists of pending writes by task. 3,000 runs on one thread cost the same
 * each, also those of a supervisor with sub-graphs; so do 5,000 checkpoints of one run.
 */
import { restoreStore, snapshotStore } from '../checkpoint/store-snapshot.ts';
import { createStore } from '../checkpoint/checkpoint-store.ts';
import { withKey } from './idempotency.ts';
import { takeContext } from '../run/run-context.ts';
import type { RunTicket, StoredRun } from '../run/run-record.ts';
import type { ThreadSnapshot, ThreadState } from './thread-record.ts';
import type { ThreadStart } from './thread-wire.ts';
import type { RunIndex, ThreadStatus } from './thread.ts';

/** Opens a thread from its workflow's input. A first run is queued. */
export function openThread(start: ThreadStart): ThreadState {
  if (start.kind === 'continued') return restoreThread(start.snapshot);
  const { carried } = start;
  const state: ThreadState = {
    threadId: start.threadId,
    isEphemeral: start.isEphemeral,
    createdAt: start.createdAt,
    updatedAt: start.createdAt,
    metadata: start.metadata,
    settings: start.settings,
    runs: new Map(),
    queue: [],
    store: carried ? restoreStore(carried.store) : createStore(),
    // 0 means that there are no checkpoints.
    revision: carried && carried.store.checkpoints.length > 0 ? 1 : 0,
    publishedStatus: 'idle',
    publishedRun: runIndex(undefined, carried?.agentId),
    ...(carried?.agentId !== undefined && { agentId: carried.agentId }),
    ...(start.owner !== undefined && { owner: start.owner }),
    ...(start.origin && { origin: start.origin }),
    ...(start.jsonKeys && { jsonKeys: start.jsonKeys }),
    ...(carried?.questions && { questions: carried.questions }),
    ...(carried?.context && { context: carried.context }),
  };
  if (start.firstRun) enqueueRun(state, start.firstRun);
  return state;
}

/** Queues a run: behind all others, except those that are delayed beyond it. */
export function enqueueRun(state: ThreadState, ticket: RunTicket): StoredRun {
  const { isResume: _, checkpoint, idempotency, ...kept } = ticket;
  const run: StoredRun = {
    ...kept,
    status: 'running',
    updatedAt: ticket.createdAt,
    attempt: 0,
    seq: 0,
  };
  // The checkpoint of a fork is known now; any other continuing run takes its context when it begins.
  if (run.continues && checkpoint) takeContext(state, run, checkpoint);
  state.runs.set(run.runUuid, run);
  if (run.notBefore === undefined) state.newest = run.runUuid;
  else state.newest ??= run.runUuid;
  const dueAt = run.notBefore ?? run.createdAt;
  const later = state.queue.findIndex((other) => (state.runs.get(other)?.notBefore ?? 0) > dueAt);
  state.queue.splice(later < 0 ? state.queue.length : later, 0, run.runUuid);
  state.updatedAt = ticket.createdAt;
  if (idempotency) {
    const { runUuid, createdAt: at } = ticket;
    state.keys = withKey(state.keys, { ...idempotency, runUuid, at });
  }
  return run;
}

/**
 * Decisions: "thread status". Busy while a run is active or queued, afterwards by the newest run. A delayed run does
 * not prevent a question from being answered meanwhile.
 */
export function threadStatus(state: ThreadState): ThreadStatus {
  if (state.stopped) return 'error';
  const isHeldBack = (runUuid: string): boolean => state.runs.get(runUuid)?.notBefore !== undefined;
  if (state.active !== undefined || !state.queue.every(isHeldBack)) return 'busy';
  const status = state.left ?? newestRun(state)?.status;
  if (status === 'interrupted' || status === 'error') return status;
  return 'idle';
}

/** A stateless run's thread ends with it; the engine's retention keeps it readable. An interrupted one may be resumed. */
export function isFinished(state: ThreadState): boolean {
  if (!state.isEphemeral || state.active !== undefined || state.queue.length > 0) return false;
  return threadStatus(state) !== 'interrupted';
}

/** The run that was created last, or that began last after a delay. */
export function newestRun(state: ThreadState): StoredRun | undefined {
  return state.newest === undefined ? undefined : state.runs.get(state.newest);
}

/** The newest run's entry for the visibility store; for a thread without runs, the agent of its source. */
export function runIndex(
  newest: Pick<StoredRun, 'status' | 'agentId'> | undefined,
  sourceAgentId: string | undefined,
): RunIndex {
  const agentId = newest?.agentId ?? sourceAgentId;
  return { runStatus: newest?.status ?? 'none', ...(agentId !== undefined && { agentId }) };
}

/** Removes a run from the thread's record; true when it existed. */
export function removeRun(state: ThreadState, runUuid: string): boolean {
  if (!state.runs.delete(runUuid)) return false;
  if (state.newest === runUuid) setNewest(state);
  return true;
}

/** Makes a run the newest one. */
export function renewRun(state: ThreadState, run: StoredRun): void {
  state.runs.delete(run.runUuid);
  state.runs.set(run.runUuid, run);
  state.newest = run.runUuid;
}

/** Decisions, "thread status": a run that changed nothing does not count while another one does. */
export function leaveAsBefore(state: ThreadState, run: StoredRun): void {
  run.isVoid = true;
  if (state.newest === run.runUuid) setNewest(state);
}

function setNewest(state: ThreadState): void {
  const runs = [...state.runs.values()];
  const hasBegun = ({ notBefore }: StoredRun): boolean => notBefore === undefined;
  const newest =
    runs.findLast((run) => hasBegun(run) && !run.isVoid) ?? runs.findLast(hasBegun) ?? runs.at(-1);
  if (newest === undefined) delete state.newest;
  else state.newest = newest.runUuid;
}

/** The thread as plain data. */
export function snapshotThread(state: ThreadState): ThreadSnapshot {
  const { runs, store, ...thread } = state;
  return { thread, runs: [...runs.values()], store: snapshotStore(store) };
}

function restoreThread(snapshot: ThreadSnapshot): ThreadState {
  const state: ThreadState = {
    ...snapshot.thread,
    runs: new Map(snapshot.runs.map((run) => [run.runUuid, run])),
    store: restoreStore(snapshot.store),
  };
  setNewest(state);
  return state;
}
