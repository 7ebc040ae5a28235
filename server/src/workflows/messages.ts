/**
 * The names of the messages of a thread's workflow. They are in recorded histories and never change.
 * Arguments and returns are frames (model/frame.ts) of the types in model/thread/thread-wire.ts.
 */
import type { RunStatus } from '../model/run/run.ts';
import { defineQuery, defineUpdate, type Sinks } from '@temporalio/workflow';
import type { Compaction } from '../model/thread/thread-compaction.ts';

/** RunTicket -> RunReport. Refused by `checkCreateRun`. */
export const createRunUpdate = defineUpdate<Uint8Array, [Uint8Array]>('createRun');
/** CheckpointBatch -> nothing. Refused with `run_fenced`. */
export const applyBatchUpdate = defineUpdate<undefined, [Uint8Array]>('applyBatch');
/** {runUuid} -> RunReport, `cancelling` unless it had ended. */
export const cancelRunUpdate = defineUpdate<Uint8Array, [Uint8Array]>('cancelRun');
/** {runUuid, now} -> nothing. */
export const deleteRunUpdate = defineUpdate<undefined, [Uint8Array]>('deleteRun');
/** {metadata, now} -> ThreadReport. */
export const patchMetadataUpdate = defineUpdate<Uint8Array, [Uint8Array]>('patchMetadata');
/** StateCommit -> nothing. Refused by `checkStateCommit`. */
export const updateStateUpdate = defineUpdate<undefined, [Uint8Array]>('updateState');

/** -> ThreadReport. */
export const threadQuery = defineQuery<Uint8Array>('thread');
/** {runUuid} -> {run?: RunReport}. */
export const runQuery = defineQuery<Uint8Array, [Uint8Array]>('run');
/** {place?: {ns, id}} -> {context?: Payload}: of the run that led to that checkpoint. */
export const contextQuery = defineQuery<Uint8Array, [Uint8Array]>('context');
/** {limit, offset} -> {runs, total}. */
export const runsQuery = defineQuery<Uint8Array, [Uint8Array]>('runs');
/** CheckpointSelection -> CheckpointPage. */
export const checkpointsQuery = defineQuery<Uint8Array, [Uint8Array]>('checkpoints');
/** {addresses, content} -> {blobs}. */
export const blobsQuery = defineQuery<Uint8Array, [Uint8Array]>('blobs');
/** ExtractCursor -> ThreadExtract: the whole thread, for an export. */
export const extractQuery = defineQuery<Uint8Array, [Uint8Array]>('extract');
/** {after?} -> ReferencePage. */
export const referencesQuery = defineQuery<Uint8Array, [Uint8Array]>('references');
/** -> StoreSize. */
export const sizeQuery = defineQuery<Uint8Array>('size');

/** Hints to the process that runs the workflow; they are lost with it, so no caller relies on them alone. */
export interface ThreadSinks extends Sinks {
  thread: {
    /** A run has settled; waiting calls read it now. */
    runSettled(threadId: string, runUuid: string, status: RunStatus): void;
    /** The thread continues in a new execution. */
    continued(report: ContinueReport): void;
    /** The thread did not fit into a new execution and runs nothing more. */
    budgetExceeded(threadId: string): void;
  };
}

/** The report of a change of executions for the metrics. */
export interface ContinueReport extends Compaction {
  threadId: string;
  /** Whether a run was active. */
  trigger: 'idle' | 'active';
}

/** The names above, for the host, which never loads workflow code. */
export type UpdateName =
  'createRun' | 'applyBatch' | 'cancelRun' | 'deleteRun' | 'patchMetadata' | 'updateState';
export type QueryName =
  | 'thread'
  | 'run'
  | 'context'
  | 'runs'
  | 'checkpoints'
  | 'blobs'
  | 'extract'
  | 'references'
  | 'size';
