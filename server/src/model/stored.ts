import type { TypedBytes } from './checkpoint.ts';

/**
 * Checkpoints as the thread keeps them and as they cross the engine. They differ from `checkpoint.ts` in one thing:
 * JSON projections are bytes, which nobody between a guest and an HTTP answer decodes.
 */
export interface StoredBlob {
  value: TypedBytes;
  json?: Uint8Array;
}

export interface StoredWrite {
  taskId: string;
  taskPath: string;
  index: number;
  channel: string;
  value: TypedBytes;
  json?: Uint8Array;
}

/** A checkpoint without its channel values; `versions` says which blobs belong to it. */
export interface StoredCheckpoint {
  ns: string;
  id: string;
  parentId?: string;
  ts: string;
  skeleton: TypedBytes;
  metadata: TypedBytes;
  metadataJson: Uint8Array;
  versions: Record<string, string>;
  /** The run that saved it, for retention. */
  run: string;
  writes: StoredWrite[];
}

/** A blob with its place. Versions are unique within a channel of a namespace. */
export interface PlacedBlob extends StoredBlob {
  ns: string;
  channel: string;
  version: string;
}

/** One write on its way to the thread. `save.blobs`: the channel versions that are new with it. */
export type StoredOp =
  | {
      kind: 'save';
      checkpoint: Omit<StoredCheckpoint, 'writes' | 'run'>;
      blobs: ({ channel: string; version: string } & StoredBlob)[];
    }
  | { kind: 'writes'; ns: string; checkpointId: string; writes: StoredWrite[] };

/** Bytes that an op adds to whatever carries it. */
export function opBytes(op: StoredOp): number {
  if (op.kind === 'writes') return op.writes.reduce((sum, write) => sum + writeBytes(write), 64);
  const { checkpoint, blobs } = op;
  return blobs.reduce((sum, blob) => sum + blobBytes(blob), checkpointBytes(checkpoint));
}

/** Bytes of a checkpoint without its blobs and writes. */
export function checkpointBytes(checkpoint: Omit<StoredCheckpoint, 'writes' | 'run'>): number {
  const { skeleton, metadata, metadataJson, versions } = checkpoint;
  return (
    400 +
    Object.keys(versions).length * 80 +
    skeleton.bytes.byteLength +
    metadata.bytes.byteLength +
    metadataJson.byteLength
  );
}

/** Bytes of a blob with its projection. */
export function blobBytes(blob: StoredBlob): number {
  return 100 + blob.value.bytes.byteLength + (blob.json?.byteLength ?? 0);
}

/** Bytes of one pending write. */
export function writeBytes(write: StoredWrite): number {
  return 160 + write.value.bytes.byteLength + (write.json?.byteLength ?? 0);
}
