import type { CheckpointStore } from './checkpoint-store.ts';
import { isDeflated, type Payload } from './payload.ts';
import { splitBlobKey } from './pending-writes.ts';
import type { StoredBlob, StoredWrite } from './stored.ts';

/** How many there are of something, and the bytes that they take as they are stored. */
export interface Stored {
  count: number;
  bytes: number;
}

/** What the checkpoints of a thread take. */
export interface StoreSize {
  /** Without the values of their channels. */
  checkpoints: Stored;
  /** One for each version of a channel that a checkpoint names; the channels of all namespaces by their names. */
  channelValues: Stored & { byChannel: Record<string, Stored> };
  /** Writes of tasks that are in no checkpoint yet. */
  pendingWrites: Stored;
}

/** Counts what a thread keeps, also in the external checkpoint storage: each value with its JSON projection. */
export function storeSize(store: CheckpointStore): StoreSize {
  const checkpoints = nothing();
  const pendingWrites = nothing();
  const channelValues = nothing();
  const channels = new Map<string, Stored>();

  for (const namespace of store.namespaces.values()) {
    for (const { skeleton, metadata, metadataJson, writes } of namespace.checkpoints) {
      const bytes = storedBytes(skeleton.bytes) + storedBytes(metadata.bytes);
      add(checkpoints, bytes + metadataJson.byteLength);
      for (const write of writes) add(pendingWrites, valueBytes(write));
    }
    for (const [key, blob] of namespace.blobs) {
      const { channel } = splitBlobKey(key);
      const own = channels.get(channel) ?? nothing();
      channels.set(channel, own);
      add(own, valueBytes(blob));
      add(channelValues, valueBytes(blob));
    }
  }
  for (const { writes } of store.early.values()) {
    for (const write of writes) add(pendingWrites, valueBytes(write));
  }
  const byChannel = Object.fromEntries(channels);
  return { checkpoints, channelValues: { ...channelValues, byChannel }, pendingWrites };
}

function nothing(): Stored {
  return { count: 0, bytes: 0 };
}

function add(sum: Stored, bytes: number): void {
  sum.count += 1;
  sum.bytes += bytes;
}

function valueBytes({ value, json }: StoredBlob | StoredWrite): number {
  return storedBytes(value.bytes) + (json ? storedBytes(json) : 0);
}

/** In the engine as it is there, deflated or not; outside of it the whole content. */
function storedBytes(payload: Payload): number {
  if (isDeflated(payload)) return payload.deflated.byteLength;
  return 'size' in payload ? payload.size : payload.byteLength;
}
