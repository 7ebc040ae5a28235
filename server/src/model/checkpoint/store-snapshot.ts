import type { Payload } from './payload.ts';
import { splitBlobKey } from './pending-writes.ts';
import type { ChannelBlob, StoredCheckpoint } from './stored.ts';
import {
  addBlob,
  applyWrites,
  type CheckpointStore,
  createStore,
  insert,
  openNamespace,
  type StoreSnapshot,
} from './checkpoint-store.ts';

/** The store as plain data, from which `restoreStore` makes the same store. */
export function snapshotStore<P extends Payload>(store: CheckpointStore<P>): StoreSnapshot<P> {
  const checkpoints: StoredCheckpoint<P>[] = [];
  const blobs: ChannelBlob<P>[] = [];
  for (const [ns, namespace] of store.namespaces) {
    checkpoints.push(...namespace.checkpoints);
    for (const [key, { value, json }] of namespace.blobs) {
      blobs.push({ ns, ...splitBlobKey(key), value, ...(json && { json }) });
    }
  }
  const early = [...store.early.values()];
  return { checkpoints, blobs, ...(early.length > 0 && { early }) };
}

/** Restores a store from a snapshot. */
export function restoreStore<P extends Payload>(snapshot: StoreSnapshot<P>): CheckpointStore<P> {
  const store = createStore<P>();
  for (const { ns, channel, version, ...blob } of snapshot.blobs) {
    addBlob(store, openNamespace(store, ns), channel, version, blob);
  }
  for (const entry of snapshot.checkpoints) {
    const { writes, ...checkpoint } = entry;
    insert(store, openNamespace(store, entry.ns), { ...checkpoint, writes: [] });
    applyWrites(store, entry.ns, entry.id, writes);
  }
  for (const { ns, checkpointId, writes } of snapshot.early ?? []) {
    applyWrites(store, ns, checkpointId, writes);
  }
  return store;
}
