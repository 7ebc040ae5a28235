/*
 * Checkpoints are kept as LangGraph's own database savers keep them: a skeleton, and one blob per channel _version_,
 * counted by reference, so a channel that did not change is neither sent nor stored again. Each blob has its JSON
 * projection, from which `GET state` is assembled without parsing. Versions carry a random suffix: two forks,
 * or two attempts of one step, never mean different values by the same version.
 *
 * Retention is per run and namespace (`SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY`, 1 by default). Removing a run removes
 * its checkpoints, except the head of the thread.
 */
import { engineBytes, type Payload, type TypedPayload } from './payload.ts';

/**
 * Checkpoints as the thread keeps them and as they cross the engine. They differ from `checkpoint.ts` in two things:
 * JSON projections are bytes, which no code between a guest and an HTTP response decodes; and payloads may be deflated
 * or external. `Stored…<Uint8Array>` is the same with every payload loaded.
 */
export interface StoredBlob<P = Payload> {
  value: TypedPayload<P>;
  json?: P;
}

export interface StoredWrite<P = Payload> {
  taskId: string;
  taskPath: string;
  index: number;
  channel: string;
  value: TypedPayload<P>;
  json?: P;
  /** The run that made it at a checkpoint of another run, so that it is removed when that run is rolled back. */
  run?: string;
}

/** A checkpoint without its channel values; `versions` names the blobs that belong to it. */
export interface StoredCheckpoint<P = Payload> {
  ns: string;
  id: string;
  parentId?: string;
  ts: string;
  skeleton: TypedPayload<P>;
  metadata: TypedPayload<P>;
  /** Always inline: lists are filtered by it. */
  metadataJson: Uint8Array;
  versions: Record<string, string>;
  /** The run that saved it, for retention. */
  run: string;
  writes: StoredWrite<P>[];
}

/** A blob with its namespace, channel and version. Versions are unique within a channel of a namespace. */
export interface ChannelBlob<P = Payload> extends StoredBlob<P> {
  ns: string;
  channel: string;
  version: string;
}

/** One write to be applied by the thread. `save.blobs`: the channel versions that are new with it. */
export type StoredOp<P = Payload> =
  | {
      kind: 'save';
      checkpoint: Omit<StoredCheckpoint<P>, 'writes' | 'run'>;
      blobs: ({ channel: string; version: string } & StoredBlob<P>)[];
    }
  | {
      kind: 'writes';
      ns: string;
      checkpointId: string;
      writes: StoredWrite<P>[];
      /** Checkpoints, no heads, whose writes are dropped first to make space (limits: retainedPendingWrites). */
      shed?: { ns: string; checkpointId: string }[];
    };

/** The estimated size of a reference to a checkpoint. */
const REFERENCE_BYTES = 128;

/** Bytes that an op adds to the message that carries it through the engine. */
export function opBytes(op: StoredOp): number {
  if (op.kind === 'writes') {
    const shedBytes = 64 + REFERENCE_BYTES * (op.shed?.length ?? 0);
    return op.writes.reduce((sum, write) => sum + writeBytes(write), shedBytes);
  }
  const { checkpoint, blobs } = op;
  return blobs.reduce((sum, blob) => sum + blobBytes(blob), checkpointBytes(checkpoint));
}

/** Bytes of a checkpoint without its blobs and writes. */
export function checkpointBytes(checkpoint: Omit<StoredCheckpoint, 'writes' | 'run'>): number {
  const { skeleton, metadata, metadataJson, versions } = checkpoint;
  return (
    400 +
    Object.keys(versions).length * 80 +
    engineBytes(skeleton.bytes) +
    engineBytes(metadata.bytes) +
    metadataJson.byteLength
  );
}

/** Bytes of a blob with its projection. */
export function blobBytes(blob: StoredBlob): number {
  return 100 + engineBytes(blob.value.bytes) + (blob.json ? engineBytes(blob.json) : 0);
}

/** Bytes of one pending write. */
export function writeBytes(write: StoredWrite): number {
  return 160 + engineBytes(write.value.bytes) + (write.json ? engineBytes(write.json) : 0);
}
