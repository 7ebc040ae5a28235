import type { Payload } from './payload.ts';
import {
  blobBytes,
  checkpointBytes,
  writeBytes,
  type PlacedBlob,
  type StoredBlob,
  type StoredCheckpoint,
  type StoredOp,
  type StoredWrite,
} from './stored.ts';

interface CountedBlob<P> extends StoredBlob<P> {
  /** Retained checkpoints that name this version. */
  references: number;
}

interface Namespace<P> {
  /** Ascending by id, which is the order of time (LangGraph's ids are UUIDv6). */
  checkpoints: StoredCheckpoint<P>[];
  blobs: Map<string, CountedBlob<P>>;
}

/** What a store is made of when it goes on in another execution. */
export interface StoreSnapshot<P = Payload> {
  checkpoints: StoredCheckpoint<P>[];
  blobs: PlacedBlob<P>[];
}

/**
 * The checkpoints of one thread, as LangGraph's database savers keep them: a skeleton per checkpoint, one blob per
 * channel version, and pending writes. Purely in memory and deterministic, so a workflow can hold it.
 */
export interface CheckpointStore<P = Payload> {
  namespaces: Map<string, Namespace<P>>;
  /** Writes that arrived before their checkpoint, as `durability: "exit"` makes them; by namespace and checkpoint id. */
  early: Map<string, StoredWrite<P>[]>;
  bytes: number;
}

/** An empty store. */
export function createStore<P extends Payload = Payload>(): CheckpointStore<P> {
  return { namespaces: new Map(), early: new Map(), bytes: 0 };
}

/** Applies one write of a run and keeps, per run and namespace, the newest `retain` checkpoints. Idempotent. */
export function applyOp<P extends Payload>(
  store: CheckpointStore<P>,
  op: StoredOp<P>,
  run: string,
  retain: number,
): void {
  if (op.kind === 'writes') {
    applyWrites(store, op.ns, op.checkpointId, op.writes);
    return;
  }
  const namespace = openNamespace(store, op.checkpoint.ns);
  for (const { channel, version, ...blob } of op.blobs)
    addBlob(store, namespace, channel, version, blob);
  insert(store, namespace, { ...op.checkpoint, run, writes: [] });
  retainNewest(store, namespace, run, retain);
}

/** The checkpoint with this id, or the newest of the namespace. */
export function findCheckpoint<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  id?: string,
): StoredCheckpoint<P> | undefined {
  const checkpoints = store.namespaces.get(ns)?.checkpoints ?? [];
  return id === undefined ? checkpoints.at(-1) : checkpoints.find((entry) => entry.id === id);
}

/** Every retained checkpoint of one namespace or of all, newest first. */
export function listCheckpoints<P extends Payload>(
  store: CheckpointStore<P>,
  ns?: string,
): StoredCheckpoint<P>[] {
  if (ns !== undefined) return [...(store.namespaces.get(ns)?.checkpoints ?? [])].reverse();
  const all = [...store.namespaces.values()].flatMap((namespace) => namespace.checkpoints);
  return all.sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
}

/** One channel version. */
export function findBlob<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  channel: string,
  version: string,
): StoredBlob<P> | undefined {
  return store.namespaces.get(ns)?.blobs.get(blobKey(channel, version));
}

/** Removes the checkpoints that a predicate names. The heads of namespaces go only when it names them too. */
export function dropCheckpoints<P extends Payload>(
  store: CheckpointStore<P>,
  isDropped: (checkpoint: StoredCheckpoint<P>, isHead: boolean) => boolean,
): void {
  for (const [ns, namespace] of store.namespaces) {
    const head = namespace.checkpoints.at(-1);
    for (const entry of namespace.checkpoints.slice()) {
      if (isDropped(entry, entry === head)) drop(store, namespace, entry);
    }
    if (namespace.checkpoints.length === 0) store.namespaces.delete(ns);
  }
}

/** Forgets pending writes: those of every retained checkpoint, and those that wait for theirs. */
export function dropPendingWrites<P extends Payload>(store: CheckpointStore<P>): void {
  for (const namespace of store.namespaces.values()) {
    for (const entry of namespace.checkpoints) clearWrites(store, entry);
  }
  store.early.clear();
}

/** The store as plain data; `restoreStore` makes the same store of it. */
export function snapshotStore<P extends Payload>(store: CheckpointStore<P>): StoreSnapshot<P> {
  const checkpoints: StoredCheckpoint<P>[] = [];
  const blobs: PlacedBlob<P>[] = [];
  for (const [ns, namespace] of store.namespaces) {
    checkpoints.push(...namespace.checkpoints);
    for (const [key, { value, json }] of namespace.blobs) {
      const [channel = '', version = ''] = key.split('\n');
      blobs.push({ ns, channel, version, value, ...(json && { json }) });
    }
  }
  return { checkpoints, blobs };
}

/** Makes a store of a snapshot. */
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
  return store;
}

function openNamespace<P extends Payload>(store: CheckpointStore<P>, ns: string): Namespace<P> {
  const existing = store.namespaces.get(ns);
  if (existing) return existing;
  const created: Namespace<P> = { checkpoints: [], blobs: new Map() };
  store.namespaces.set(ns, created);
  return created;
}

function addBlob<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  channel: string,
  version: string,
  blob: StoredBlob<P>,
): void {
  const key = blobKey(channel, version);
  if (namespace.blobs.has(key)) return;
  namespace.blobs.set(key, { ...blob, references: 0 });
  store.bytes += blobBytes(blob);
}

function insert<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  const { checkpoints } = namespace;
  const known = checkpoints.findIndex((other) => other.id === entry.id);
  const previous = checkpoints[known];
  // LangGraph may put the same checkpoint again, with other metadata; its pending writes stay.
  if (previous) entry.writes = previous.writes;
  for (const [channel, version] of Object.entries(entry.versions)) {
    const blob = namespace.blobs.get(blobKey(channel, version));
    if (blob) blob.references += 1;
  }
  store.bytes += checkpointBytes(entry);
  if (previous) {
    checkpoints[known] = entry;
    release(store, namespace, previous);
  } else {
    let at = checkpoints.length;
    while (at > 0 && (checkpoints[at - 1]?.id ?? '') > entry.id) at -= 1;
    checkpoints.splice(at, 0, entry);
  }
  const early = store.early.get(earlyKey(entry.ns, entry.id));
  if (!early) return;
  store.early.delete(earlyKey(entry.ns, entry.id));
  for (const write of early) mergeWrite(store, entry.writes, write);
}

function applyWrites<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  id: string,
  writes: StoredWrite<P>[],
): void {
  const target = findCheckpoint(store, ns, id);
  if (target) {
    for (const write of writes) mergeWrite(store, target.writes, write);
    return;
  }
  const waiting = store.early.get(earlyKey(ns, id)) ?? [];
  waiting.push(...writes);
  store.early.set(earlyKey(ns, id), waiting);
}

/** LangGraph's rule: a task's ordinary write stays as it was first made, its special channels overwrite. */
function mergeWrite<P extends Payload>(
  store: CheckpointStore<P>,
  writes: StoredWrite<P>[],
  write: StoredWrite<P>,
): void {
  const at = writes.findIndex(
    (other) => other.taskId === write.taskId && other.index === write.index,
  );
  const previous = writes[at];
  if (previous && write.index >= 0) return;
  if (previous) {
    store.bytes += writeBytes(write) - writeBytes(previous);
    writes[at] = write;
    return;
  }
  store.bytes += writeBytes(write);
  writes.push(write);
}

function retainNewest<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  run: string,
  retain: number,
): void {
  const own = namespace.checkpoints.filter((entry) => entry.run === run);
  for (const entry of own.slice(0, Math.max(0, own.length - retain))) drop(store, namespace, entry);
}

function drop<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  namespace.checkpoints.splice(namespace.checkpoints.indexOf(entry), 1);
  clearWrites(store, entry);
  release(store, namespace, entry);
}

function release<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  store.bytes -= checkpointBytes(entry);
  for (const [channel, version] of Object.entries(entry.versions)) {
    const key = blobKey(channel, version);
    const blob = namespace.blobs.get(key);
    if (!blob) continue;
    blob.references -= 1;
    if (blob.references > 0) continue;
    store.bytes -= blobBytes(blob);
    namespace.blobs.delete(key);
  }
}

function clearWrites<P extends Payload>(
  store: CheckpointStore<P>,
  entry: StoredCheckpoint<P>,
): void {
  for (const write of entry.writes) store.bytes -= writeBytes(write);
  entry.writes = [];
}

function blobKey(channel: string, version: string): string {
  return `${channel}\n${version}`;
}

function earlyKey(ns: string, id: string): string {
  return `${ns}\n${id}`;
}
