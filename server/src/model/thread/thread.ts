import type { ThreadId } from '../ids.ts';
import type { JsonText } from '../json.ts';
import type { RunError, RunStatus } from '../run/run.ts';
import type { StateValues } from '../checkpoint/state-values.ts';

/** Spec: States and transitions, Thread status values. */
export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

/** An interrupt that waits for an answer: LangGraph's id and value. */
export interface PendingInterrupt {
  id: string;
  value: unknown;
}

/** What a copy was made of. */
export interface ThreadOrigin {
  threadId: string;
  /** Absent: the thread had none. */
  checkpointId?: string;
  /** Of the checkpoint. */
  step?: number;
}

/** A thread without its state. Timestamps are milliseconds since the epoch. */
export interface ThreadView {
  threadId: ThreadId;
  status: ThreadStatus;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
  /** The agent that last wrote to the thread; of a search that of its newest run, where the run history has it. */
  agentId?: string;
  /** The beginning of its first input, where the run history has it. */
  title?: string;
  /** Of its creation, or the latest change of a run, where the run history has it. */
  lastActivityAt?: number;
  /** The `sub` that created the thread, where known: policies use it. */
  owner?: string;
  /** Of a copy, when the thread is read by itself. */
  origin?: ThreadOrigin;
  /** The keys of metadata whose text is the JSON of what was given. Absent: none. */
  jsonKeys?: readonly string[];
  /** When its state changed last; where the thread itself was read and has one. */
  stateUpdatedAt?: number;
  /** Of the newest run, if it failed; where the thread itself was read. */
  error?: RunError;
}

/** The newest run as the visibility store has it. */
export interface RunIndex {
  /** `none`: the thread has had no run. */
  runStatus: RunStatus | 'none';
  /** Of the newest run, or of the source of a copy. */
  agentId?: string;
}

/** The namespace and id of a checkpoint in its thread. */
export interface CheckpointRef {
  ns: string;
  id: string;
}

/** State values at one checkpoint, and the thread's open interrupts if it is the head. */
export interface StateSnapshot {
  threadId: ThreadId;
  values: StateValues;
  interrupts: PendingInterrupt[];
  /** The tasks that ask them, by the ids of the questions; of the head, where a task asks. */
  askingTasks?: ReadonlyMap<string, string>;
  checkpoint?: CheckpointRef;
}

/** Spec: Resources, History entry. */
export interface HistoryEntry {
  ns: string;
  id: string;
  /** Omitted once the parent is no longer retained. */
  parentId?: string;
  ts: string;
  values: StateValues;
  metadata: JsonText;
  /** Omitted where nothing runs next. */
  nextNodes?: readonly string[];
  /** Why some channel is missing from the values: its payload is lost or damaged. */
  error?: { code: string; message: string };
}
