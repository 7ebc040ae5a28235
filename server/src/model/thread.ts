import type { ThreadId } from './ids.ts';
import type { JsonText } from './json-text.ts';

/** Spec: States and transitions, Thread status values. */
export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

/** An interrupt that waits for an answer: LangGraph's id and value. */
export interface PendingInterrupt {
  id: string;
  value: unknown;
}

/** A thread without its state. Timestamps are milliseconds since the epoch. */
export interface ThreadView {
  threadId: ThreadId;
  status: ThreadStatus;
  createdAt: number;
  updatedAt: number;
  metadata: Record<string, string>;
}

/** State values at one checkpoint: one JSON document per channel, and the thread's open interrupts. */
export interface StateSnapshot {
  threadId: ThreadId;
  /** The `values` object, assembled from the channels' JSON projections. */
  values: JsonText;
  interrupts: PendingInterrupt[];
  checkpoint?: { ns: string; id: string };
}

/** Spec: Resources, History entry. */
export interface HistoryEntry {
  ns: string;
  id: string;
  /** Omitted once the parent is no longer retained. */
  parentId?: string;
  ts: string;
  values: JsonText;
  metadata: JsonText;
}
