/*
 * What is shed so that a thread fits (`model/thread/thread-compaction.ts`): pending writes that no run continues from;
 * run outputs with questions and tracebacks, oldest first; checkpoints of settled runs, oldest first, then the older
 * ones of runs that are not settled; records of settled runs; at last the pending writes of an open question or of an
 * active run. Heads that a run may continue from are kept (`model/checkpoint/checkpoint.ts`): the root's, those of
 * sub-graphs with a memory, and of calls whose step has not ended. It is done on a copy: when even all of it does not
 * suffice, nothing is removed.
 */
import { restoreStore, snapshotStore } from '../checkpoint/store-snapshot.ts';
import {
  type CheckpointStore,
  dropPendingWrites,
  dropRun,
} from '../checkpoint/checkpoint-store.ts';
import { packFrame } from '../frame.ts';
import { REMEMBERED_KEY_BYTES } from './idempotency.ts';
import { PAYLOAD_CEILING_BYTES } from '../limits/limits.ts';
import { isHeadWanted } from '../checkpoint/namespaces.ts';
import { isHeadAsking } from '../checkpoint/open-questions.ts';
import { writesBytes } from '../checkpoint/pending-writes.ts';
import { isSettled } from '../run/run.ts';
import { engineBytes } from '../checkpoint/payload.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { removeRun, snapshotThread, threadStatus } from './thread-state.ts';
import type { ThreadStart } from './thread-wire.ts';

/** What had to be removed so that a thread fits. */
export type Shed =
  'nothing' | 'pending_writes' | 'outputs' | 'old_checkpoints' | 'old_runs' | 'open_writes';

/** A thread that fits into its next execution. */
export interface Compaction {
  shed: Shed;
  /** Of the payload. */
  bytes: number;
  /** Run outputs that were removed. */
  outputsShed: number;
  /** Bytes of pending writes that are kept. */
  writeBytes: number;
}

/** Bytes of the thread's continue-as-new payload, at the most. */
export function payloadBytes(state: ThreadState): number {
  let bytes = 2_000 + state.store.bytes + JSON.stringify(state.metadata).length;
  for (const run of state.runs.values()) bytes += runBytes(run);
  if (state.questions) bytes += engineBytes(state.questions);
  if (state.context) bytes += engineBytes(state.context);
  if (state.keys) bytes += state.keys.length * REMEMBERED_KEY_BYTES;
  return bytes;
}

/**
 * Sheds until the thread fits into one payload. Spec: Limits, shedding order: pending writes, then the run-output
 * read model; decisions ("long threads"): then checkpoints of old runs, oldest first, at last those of the active run;
 * the heads that a run may continue from are kept. Then the records of old runs, oldest first, as beyond
 * `engine.max_run_history`. Writes that a run may continue from are removed last.
 * Undefined when even that does not fit: the thread has then lost all of that, and is unusable.
 */
export function compact(
  state: ThreadState,
  budget = PAYLOAD_CEILING_BYTES,
): Compaction | undefined {
  const before = payloadBytes(state);
  if (before <= budget) return compaction(state, 'nothing', before);
  return shed(state, { budget, bytes: before });
}

/**
 * The same, packed for the next execution; the thread itself is unchanged, since it continues when it does not fit. The
 * size of a thread is estimated: long names of channels and metadata that is not ASCII exceed the estimate. The engine
 * ends a thread whose payload it refuses, so the real size decides.
 */
export function packCompacted(
  state: ThreadState,
  { budget, engineBytes: limit }: { budget: number; engineBytes: number },
): { compaction: Compaction; frame: Uint8Array } | undefined {
  // Most threads fit unchanged, and need no copy.
  let next = payloadBytes(state) <= budget ? state : copyOf(state);
  for (let allowed = budget; ;) {
    const compaction = compact(next, allowed);
    if (!compaction) return undefined;
    const frame = packThread(next);
    if (frame.byteLength <= limit) return { compaction, frame };
    allowed = compaction.bytes - (frame.byteLength - limit);
    if (next === state) next = copyOf(state);
  }
}

function packThread(state: ThreadState): Uint8Array {
  const next: ThreadStart = { kind: 'continued', snapshot: snapshotThread(state) };
  return packFrame(next);
}

function copyOf(state: ThreadState): ThreadState {
  return {
    ...state,
    runs: new Map([...state.runs].map(([runUuid, run]) => [runUuid, { ...run }])),
    store: restoreStore(snapshotStore(state.store)),
  };
}

interface Target {
  budget: number;
  /** The bytes of the thread before shedding, then counted down: summing them up again for each run takes seconds. */
  bytes: number;
}

function shed(state: ThreadState, { budget, bytes }: Target): Compaction | undefined {
  let rest = bytes - state.store.bytes;
  let outputsShed = 0;
  const fits = (): boolean => rest + state.store.bytes <= budget;
  const done = (what: Shed): Compaction => {
    return { ...compaction(state, what, rest + state.store.bytes), outputsShed };
  };

  // The heads that hosts remember are invalid from here on.
  state.revision += 1;
  const isQuiet =
    state.active === undefined &&
    threadStatus(state) !== 'interrupted' &&
    !isHeadAsking(state.store);
  dropPendingWrites(state.store, { ofHeads: isQuiet });
  if (fits()) return done('pending_writes');
  const settled = [...state.runs.values()].filter((run) => isSettled(run.status));
  const last = settled.findLast(({ isVoid }) => !isVoid);
  for (const run of settled) {
    const hadOutput = run.output !== undefined;
    rest -= dropResults(run, last);
    if (hadOutput) outputsShed += 1;
    if (fits()) return done('outputs');
  }
  for (const runUuid of everyRun(state)) {
    const isHeadDropped = (ns: string): boolean => !isHeadWanted(state.store, ns);
    dropRun(state.store, runUuid, { isHeadDropped, isEnough: fits });
    if (fits()) return done('old_checkpoints');
  }
  if (state.keys) {
    rest -= state.keys.length * REMEMBERED_KEY_BYTES;
    delete state.keys;
    if (fits()) return done('old_runs');
  }
  // Only their metadata and errors are left; a thread whose runs only fail must not stop because of that.
  for (const run of settled) {
    if (run.runUuid === state.newest) continue;
    rest -= runBytes(run);
    removeRun(state, run.runUuid);
    if (fits()) return done('old_runs');
  }
  dropPendingWrites(state.store, { ofHeads: true });
  return fits() ? done('open_writes') : undefined;
}

/**
 * Removes output, traceback, and what no run continues from: the questions of the last run to settle may still be open,
 * and the run that answers them takes its context.
 */
function dropResults(run: StoredRun, last: StoredRun | undefined): number {
  const before = resultBytes(run);
  delete run.output;
  if (run !== last) {
    delete run.interrupts;
    delete run.context;
  }
  if (run.error) {
    const { traceback: _, ...error } = run.error;
    run.error = error;
  }
  return before - resultBytes(run);
}

/** All runs with checkpoints: runs removed from the thread first, then the settled runs, then the others. */
function everyRun({ store, runs }: ThreadState): string[] {
  const isOpen = (runUuid: string): boolean => {
    const run = runs.get(runUuid);
    return run !== undefined && !isSettled(run.status);
  };
  const known = [...runs.keys()];
  return [
    ...[...store.byRun.keys()].filter((runUuid) => !runs.has(runUuid)),
    ...known.filter((runUuid) => !isOpen(runUuid)),
    ...known.filter(isOpen),
  ];
}

function compaction(state: ThreadState, what: Shed, bytes: number): Compaction {
  return { shed: what, bytes, outputsShed: 0, writeBytes: pendingWriteBytes(state.store) };
}

/** Bytes of all pending writes. */
function pendingWriteBytes(store: CheckpointStore): number {
  let bytes = 0;
  for (const { writes } of store.early.values()) bytes += writesBytes(writes);
  for (const { checkpoints } of store.namespaces.values()) {
    for (const { writes } of checkpoints) bytes += writesBytes(writes);
  }
  return bytes;
}

function runBytes(run: StoredRun): number {
  const request = run.request ? engineBytes(run.request) : 0;
  return 600 + JSON.stringify([run.metadata]).length + 1 + request + resultBytes(run);
}

/** Bytes of a run's results. Metadata does not belong to them, and is not serialised to be measured. */
function resultBytes(run: StoredRun): number {
  return [run.output, run.interrupts, run.context].reduce(
    (sum, payload) => sum + (payload ? engineBytes(payload) : 0),
    JSON.stringify(run.error ?? null).length,
  );
}
