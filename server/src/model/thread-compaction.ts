import {
  dropCheckpoints,
  dropPendingWrites,
  restoreStore,
  snapshotStore,
} from './checkpoint-store.ts';
import { PAYLOAD_CEILING_BYTES } from './limits.ts';
import { isSettled } from './run.ts';
import { engineBytes } from './payload.ts';
import { threadStatus, type ThreadState } from './thread-state.ts';

/** How much of a thread had to go so that it fits. */
export type Shed = 'nothing' | 'pending_writes' | 'outputs' | 'old_checkpoints';

/** Bytes of the thread's continue-as-new payload, within a few per cent. */
export function payloadBytes(state: ThreadState): number {
  let bytes = 2_000 + state.store.bytes + JSON.stringify(state.metadata).length;
  for (const run of state.runs.values()) {
    bytes += 600 + JSON.stringify([run.metadata, run.error ?? null]).length;
    for (const payload of [run.request, run.output, run.interrupts]) {
      if (payload) bytes += engineBytes(payload);
    }
  }
  return bytes;
}

/**
 * Sheds until the thread fits into one payload. Spec: Limits, shedding order: pending writes, then the run-output
 * read model; decisions ("long threads"): then checkpoints of old runs, the heads of namespaces stay.
 * Undefined when even that does not fit: then nothing goes. Pending writes that an interrupted run still needs are kept.
 */
export function compact(state: ThreadState, budget = PAYLOAD_CEILING_BYTES): Shed | undefined {
  if (payloadBytes(state) <= budget) return 'nothing';
  return shed(copyOf(state), budget) && shed(state, budget);
}

function copyOf(state: ThreadState): ThreadState {
  return {
    ...state,
    runs: new Map([...state.runs].map(([runUuid, run]) => [runUuid, { ...run }])),
    store: restoreStore(snapshotStore(state.store)),
  };
}

function shed(state: ThreadState, budget: number): Shed | undefined {
  const fits = (): boolean => payloadBytes(state) <= budget;
  const isQuiet = threadStatus(state) !== 'interrupted' && state.active === undefined;
  if (isQuiet) dropPendingWrites(state.store);
  if (fits()) return 'pending_writes';
  const settled = [...state.runs.values()].filter((run) => isSettled(run.status));
  for (const run of settled) {
    delete run.output;
    if (fits()) return 'outputs';
  }
  for (const run of settled) {
    state.revision += 1;
    dropCheckpoints(state.store, (entry, isHead) => entry.run === run.runUuid && !isHead);
    if (fits()) return 'old_checkpoints';
  }
  return undefined;
}
