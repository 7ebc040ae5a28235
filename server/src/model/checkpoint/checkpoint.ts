import type { JsonText } from '../json.ts';

/** Bytes that a guest's serialiser produced, with its type tag. Opaque to the host. */
export interface TypedBytes {
  tag: string;
  bytes: Uint8Array;
}

/** One version of one channel. `json` exists for channels that belong to the state a user sees. */
export interface ChannelBlob {
  channel: string;
  version: string;
  value: TypedBytes;
  json?: JsonText;
}

/** One pending write of a task. Negative indexes are LangGraph's special channels, which overwrite. */
export interface PendingWrite {
  taskId: string;
  taskPath: string;
  index: number;
  channel: string;
  value: TypedBytes;
  json?: JsonText;
  /** The run that made it, when another run saved the checkpoint. */
  run?: string;
}

/** The members of a checkpoint that do not depend on its channel values. */
export interface CheckpointHead {
  ns: string;
  id: string;
  parentId?: string;
  /** ISO 8601, from the checkpoint itself. */
  ts: string;
  skeleton: TypedBytes;
  metadata: TypedBytes;
  metadataJson: JsonText;
  /** Channel to version, for every channel that has a value. */
  versions: Record<string, string>;
}

/** A checkpoint to be saved: `blobs` are the channel versions that are new with it. */
export interface CheckpointSave extends CheckpointHead {
  blobs: ChannelBlob[];
}

/** A checkpoint that was read: all its blobs and pending writes. */
export interface Checkpoint extends CheckpointHead {
  blobs: ChannelBlob[];
  writes: PendingWrite[];
}

/** Pending writes of one task, stored with the checkpoint that the task started from. */
export interface WritesSave {
  ns: string;
  checkpointId: string;
  writes: PendingWrite[];
}

/** One write of a guest, in the order in which the guest made it. */
export type CheckpointOp =
  { kind: 'save'; save: CheckpointSave } | { kind: 'writes'; writes: WritesSave };
