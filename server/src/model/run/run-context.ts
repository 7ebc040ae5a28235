/*
 * The context of a run is a separate payload next to its input: it travels in the ticket and with every attempt's
 * `Invoke`, stays in the run's record when the input is dropped, and a run without one gets that of the run it
 * continues from when it begins (`model/run/run-context.ts`).
 */
/**
 * Which `context` a run has when it brings none (decisions: "context"): a resume that of the run before it, a fork that
 * of the run whose checkpoint it continues from.
 */
import { findCheckpoint } from '../checkpoint/checkpoint-store.ts';
import type { Payload } from '../checkpoint/payload.ts';
import type { StoredCheckpoint } from '../checkpoint/stored.ts';
import type { StoredRun } from './run-record.ts';
import type { ThreadState } from '../thread/thread-record.ts';

/** A checkpoint reference in the thread; undefined: the head. */
export type CheckpointReference = { ns: string; id: string } | undefined;

/** The context of the run that led to a checkpoint; undefined: it had none, or it is unknown. */
export function contextAt(
  state: ThreadState,
  checkpoint?: CheckpointReference,
): Payload | undefined {
  const maker = (checkpoint && makerOf(state, checkpoint)) ?? lastBegun(state);
  return maker ? maker.context : state.context;
}

/** Gives a run without a context that of the run it continues: every attempt of it has the same. */
export function takeContext(
  state: ThreadState,
  run: StoredRun,
  checkpoint?: CheckpointReference,
): void {
  if (!run.continues) return;
  delete run.continues;
  const context = contextAt(state, checkpoint);
  if (context) run.context = context;
}

/** The run that saved the checkpoint, or one above it: an edited state belongs to no run. */
function makerOf(
  state: ThreadState,
  { ns, id }: NonNullable<CheckpointReference>,
): StoredRun | undefined {
  for (let above: string | undefined = id; above !== undefined;) {
    const found: StoredCheckpoint | undefined = findCheckpoint(state.store, ns, above);
    const run = found && state.runs.get(found.run);
    if (run) return run;
    above = found?.parentId;
  }
  return undefined;
}

/** The run that began last: queued runs have not begun. */
function lastBegun({ runs }: ThreadState): StoredRun | undefined {
  return [...runs.values()].findLast((run) => run.attempt > 0);
}
