/** The messages of guest.proto where our own code is stricter than the contract can say. */
import type { Chunk, CheckpointMessage, End as AnyEnd, WritesMessage } from './messages.ts';

export type * from './messages.ts';

/** What one write carries: a checkpoint, or pending writes of a task. */
export type WriteOp = { save: CheckpointMessage } | { writes: WritesMessage };

export type WriteRequest = { token: string; seq: number; sync: boolean } & WriteOp;

export interface End extends AnyEnd {
  status: 'completed' | 'interrupted' | 'error' | 'cancelled';
}

export type InvokeEvent = { chunk: Chunk } | { end: End };
