/**
 * The handling of each Update of a thread: the validator refuses before anything is written, the handler applies the
 * reducer and returns the response. Without the engine's SDK, so that the workflow and tests use the same rules.
 */
import { packFrame, unpackFrame } from '../model/frame.ts';
import type { RunStatus } from '../model/run/run.ts';
import { checkStateCommit, commitState } from '../model/checkpoint/state-commit.ts';
import { checkPatchMetadata, patchMetadata } from '../model/thread/thread-metadata.ts';
import * as reducer from '../model/thread/thread-reducer.ts';
import { reportRun, reportThread } from '../model/thread/thread-read.ts';
import type { RunTicket } from '../model/run/run-record.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import type {
  CancelRequest,
  CheckpointBatch,
  MetadataPatch,
  StateCommit,
} from '../model/thread/thread-wire.ts';
import type { UpdateName } from './messages.ts';
import type { ThreadIndex } from './thread-index.ts';

/** One kind of Update. The types of the frames are given in messages.ts. */
export interface ThreadUpdate<R> {
  validator(frame: Uint8Array): void;
  handler(frame: Uint8Array): R;
}

/** All of them. */
export interface ThreadUpdates extends Record<UpdateName, unknown> {
  createRun: ThreadUpdate<Uint8Array>;
  applyBatch: ThreadUpdate<undefined>;
  cancelRun: ThreadUpdate<Uint8Array>;
  deleteRun: ThreadUpdate<undefined>;
  patchMetadata: ThreadUpdate<Uint8Array>;
  updateState: ThreadUpdate<undefined>;
}

/** The callbacks of the code that holds the thread. */
export interface ThreadHolder {
  index: ThreadIndex;
  /** An Update was accepted. */
  countUpdate(): void;
  /** A hint to calls that wait for the run. */
  runSettled(threadId: string, runUuid: string, status: RunStatus): void;
  /** Throws the error that reports the refusal to the caller. */
  refuse(refusal: reducer.Refusal): never;
}

/** The Updates of one thread. */
export function threadUpdates(
  state: ThreadState,
  { index, countUpdate, runSettled, refuse }: ThreadHolder,
): ThreadUpdates {
  function validated<T>(check: (argument: T) => reducer.Refusal | undefined) {
    return (frame: Uint8Array): void => {
      const refusal = check(unpackFrame<T>(frame));
      if (refusal) refuse(refusal);
    };
  }

  return {
    createRun: {
      validator: validated<RunTicket>((ticket) => reducer.checkCreateRun(state, ticket)),
      handler(frame) {
        countUpdate();
        const ticket = unpackFrame<RunTicket>(frame);
        const replaced = reducer.applyMultitaskStrategy(state, ticket);
        const run = reducer.createRun(state, ticket);
        for (const runUuid of replaced) {
          // A queued run stops at once, and may have been removed already.
          if (state.active === runUuid) continue;
          runSettled(state.threadId, runUuid, state.runs.get(runUuid)?.status ?? 'cancelled');
        }
        const report = reportRun(state, run);
        return packFrame(replaced.length > 0 ? { ...report, replaced } : report);
      },
    },

    applyBatch: {
      validator: validated<CheckpointBatch>((batch) => reducer.checkBatch(state, batch)),
      handler(frame) {
        countUpdate();
        reducer.applyBatch(state, unpackFrame<CheckpointBatch>(frame));
        // Only runs of some length send batches: short ones cause no visibility write.
        index.publish();
        return undefined;
      },
    },

    cancelRun: {
      validator: validated<{ runUuid: string }>(({ runUuid }) => {
        if (state.runs.has(runUuid)) return undefined;
        return { code: 'run_not_found', message: `There is no run ${runUuid} on this thread.` };
      }),
      handler(frame) {
        countUpdate();
        const { runUuid, now, ...how } = unpackFrame<CancelRequest>(frame);
        // A queued run that is rolled back is removed at once.
        const run = state.runs.get(runUuid);
        const before = run?.status;
        reducer.cancelRun(state, runUuid, now, how);
        index.publish();
        if (!run) return refuse({ code: 'run_not_found', message: 'There is no such run.' });
        const report = reportRun(state, run);
        // Spec: cancel returns `cancelling`, also when no attempt has to stop first.
        const isCancelled = report.status === 'cancelled' && before !== 'cancelled';
        if (isCancelled) runSettled(state.threadId, runUuid, report.status);
        return packFrame(isCancelled ? { ...report, status: 'cancelling' } : report);
      },
    },

    deleteRun: {
      validator: validated<{ runUuid: string }>(({ runUuid }) =>
        reducer.checkDeleteRun(state, runUuid),
      ),
      handler(frame) {
        countUpdate();
        const { runUuid, now } = unpackFrame<{ runUuid: string; now: number }>(frame);
        reducer.deleteRun(state, runUuid, now);
        index.publish();
        return undefined;
      },
    },

    patchMetadata: {
      validator: validated<MetadataPatch>(({ metadata }) => checkPatchMetadata(state, metadata)),
      handler(frame) {
        countUpdate();
        patchMetadata(state, unpackFrame<MetadataPatch>(frame));
        index.publishMetadata();
        return packFrame(reportThread(state));
      },
    },

    updateState: {
      validator: validated<StateCommit>((commit) => checkStateCommit(state, commit)),
      handler(frame) {
        countUpdate();
        const commit = unpackFrame<StateCommit>(frame);
        commitState(state, commit);
        if (commit.status) index.publish();
        return undefined;
      },
    },
  };
}
