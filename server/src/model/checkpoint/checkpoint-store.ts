import { findById, lowerBound, putInOrder, removeById, takeOut } from './checkpoint-order.ts';
import type { Payload } from './payload.ts';
import {
  blobKey,
  createWriteIndex,
  earlyKey,
  mergeWrite,
  type WriteIndex,
  writesBytes,
} from './pending-writes.ts';
import {
  blobBytes,
  checkpointBytes,
  type ChannelBlob,
  type StoredBlob,
  type StoredCheckpoint,
  type StoredOp,
  type StoredWrite,
} from './stored.ts';

interface CountedBlob<P> extends StoredBlob<P> {
  /** Number of retained checkpoints that name this version. */
  references: number;
}

interface Namespace<P> {
  /** Ascending by id. */
  checkpoints: StoredCheckpoint<P>[];
  blobs: Map<string, CountedBlob<P>>;
}

/** The data from which a store is restored in another execution. */
export interface StoreSnapshot<P = Payload> {
  checkpoints: StoredCheckpoint<P>[];
  blobs: ChannelBlob<P>[];
  /** Absent: there are none. */
  early?: EarlyWrites<P>[];
}

/** Writes whose checkpoint has not arrived yet. */
export interface EarlyWrites<P = Payload> {
  ns: string;
  checkpointId: string;
  writes: StoredWrite<P>[];
}

/**
 * The checkpoints of one thread, as LangGraph's database savers keep them: a skeleton per checkpoint, one blob per
 * channel version, and pending writes. Purely in memory and deterministic, so a workflow can hold it. A change reads
 * only the namespace and the run that it concerns: threads have thousands of runs, runs thousands of checkpoints.
 */
export interface CheckpointStore<P = Payload> {
  namespaces: Map<string, Namespace<P>>;
  /** Each run's checkpoints by namespace, ascending by id. */
  byRun: Map<string, Map<string, StoredCheckpoint<P>[]>>;
  /** Writes that arrived before their checkpoint, as with `durability: "exit"`; by namespace and checkpoint id. */
  early: Map<string, EarlyWrites<P>>;
  writeIndex: WriteIndex<P>;
  bytes: number;
}

/** An empty store. */
export function createStore<P extends Payload = Payload>(): CheckpointStore<P> {
  return {
    namespaces: new Map(),
    byRun: new Map(),
    early: new Map(),
    writeIndex: createWriteIndex(),
    bytes: 0,
  };
}

/** Applies one write of a run and keeps, per run and namespace, the newest `retain` checkpoints. Idempotent. */
export function applyOp<P extends Payload>(
  store: CheckpointStore<P>,
  op: StoredOp<P>,
  run: string,
  retain: number,
): void {
  if (op.kind === 'writes') {
    for (const checkpoint of op.shed ?? [])
      shedWrites(store, checkpoint.ns, checkpoint.checkpointId);
    // Its checkpoint was saved and pruned: no read would ever need the write.
    if (isDropped(store, op, run)) return;
    applyWrites(store, op.ns, op.checkpointId, ofRun(store, op, run));
    return;
  }
  const namespace = openNamespace(store, op.checkpoint.ns);
  for (const { channel, version, ...blob } of op.blobs)
    addBlob(store, namespace, channel, version, blob);
  insert(store, namespace, { ...op.checkpoint, run, writes: [] });
  retainNewest(store, namespace, op.checkpoint.ns, run, retain);
}

/** The checkpoint with this id, or the newest of the namespace. */
export function findCheckpoint<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  id?: string,
): StoredCheckpoint<P> | undefined {
  const checkpoints = store.namespaces.get(ns)?.checkpoints ?? [];
  return id === undefined ? checkpoints.at(-1) : findById(checkpoints, id);
}

/** The retained checkpoints of one namespace or of all, newest first, older than `beforeId`. */
export function* listCheckpoints<P extends Payload>(
  store: CheckpointStore<P>,
  ns?: string,
  beforeId?: string,
): Generator<StoredCheckpoint<P>> {
  const sorted =
    ns === undefined ? everyCheckpoint(store) : (store.namespaces.get(ns)?.checkpoints ?? []);
  let at = beforeId === undefined ? sorted.length : lowerBound(sorted, beforeId);
  while (at > 0) {
    at -= 1;
    const entry = sorted[at];
    if (entry) yield entry;
  }
}

function everyCheckpoint<P extends Payload>(store: CheckpointStore<P>): StoredCheckpoint<P>[] {
  const all = [...store.namespaces.values()].flatMap((namespace) => namespace.checkpoints);
  return all.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
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

/** Which of a run's checkpoints are removed. */
export interface DropRule {
  /** The heads of namespaces are removed only where this returns true. */
  isHeadDropped(ns: string): boolean;
  /** Called after each removal: true ends the dropping. */
  isEnough(): boolean;
}

/** Removes a run's checkpoints, in each namespace the oldest first. */
export function dropRun<P extends Payload>(
  store: CheckpointStore<P>,
  run: string,
  { isHeadDropped, isEnough }: DropRule,
): void {
  for (const [ns, own] of [...(store.byRun.get(run) ?? [])]) {
    const namespace = store.namespaces.get(ns);
    if (!namespace) continue;
    const gone = new Set<StoredCheckpoint<P>>();
    for (const entry of own) {
      if (entry === namespace.checkpoints.at(-1) && !isHeadDropped(ns)) continue;
      gone.add(entry);
      clearWrites(store, entry);
      releaseBlobs(store, namespace, entry);
      if (isEnough()) break;
    }
    for (const list of [namespace.checkpoints, own]) takeOut(list, gone);
    forgetEmpty(store, run, ns);
    if (namespace.checkpoints.length === 0) store.namespaces.delete(ns);
    if (isEnough()) return;
  }
}

/** Removes everything that a run saved in a thread: all its checkpoints, and its writes at those of other runs. */
export function rollBackRun<P extends Payload>(store: CheckpointStore<P>, run: string): void {
  dropRun(store, run, { isHeadDropped: () => true, isEnough: () => false });
  for (const { checkpoints } of store.namespaces.values()) {
    for (const entry of checkpoints) {
      if (!entry.writes.some((write) => write.run === run)) continue;
      const kept = entry.writes.filter((write) => write.run !== run);
      clearWrites(store, entry);
      for (const write of kept) addWrite(store, entry.writes, write);
    }
  }
}

/** Removes pending writes: those of checkpoints that are not heads, or all of them. */
export function dropPendingWrites<P extends Payload>(
  store: CheckpointStore<P>,
  { ofHeads }: { ofHeads: boolean },
): void {
  for (const { checkpoints } of store.namespaces.values()) {
    const head = checkpoints.at(-1);
    for (const entry of checkpoints) if (ofHeads || entry !== head) clearWrites(store, entry);
  }
  if (ofHeads) dropEarlyWrites(store);
}

/** Removes the writes whose checkpoint never arrived. */
export function dropEarlyWrites<P extends Payload>(store: CheckpointStore<P>): void {
  for (const { writes } of store.early.values()) store.bytes -= writesBytes(writes);
  store.early.clear();
}

/**
 * The writes, marked with their run when they belong to a checkpoint of another run, such as an answer to its question.
 */
function ofRun<P extends Payload>(
  store: CheckpointStore<P>,
  { ns, checkpointId, writes }: Extract<StoredOp<P>, { kind: 'writes' }>,
  run: string,
): StoredWrite<P>[] {
  const entry = findCheckpoint(store, ns, checkpointId);
  if (!entry || entry.run === run) return writes;
  return writes.map((write) => ({ ...write, run }));
}

/** A run saves its checkpoints in order: a missing one that is older than all present ones never arrives. */
function isDropped<P extends Payload>(
  store: CheckpointStore<P>,
  { ns, checkpointId }: Extract<StoredOp<P>, { kind: 'writes' }>,
  run: string,
): boolean {
  const [oldest] = store.byRun.get(run)?.get(ns) ?? [];
  if (!oldest || oldest.id <= checkpointId) return false;
  return findCheckpoint(store, ns, checkpointId) === undefined;
}

function shedWrites<P extends Payload>(store: CheckpointStore<P>, ns: string, id: string): void {
  const entry = findCheckpoint(store, ns, id);
  if (entry && entry !== findCheckpoint(store, ns)) clearWrites(store, entry);
}

export function openNamespace<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
): Namespace<P> {
  const existing = store.namespaces.get(ns);
  if (existing) return existing;
  const created: Namespace<P> = { checkpoints: [], blobs: new Map() };
  store.namespaces.set(ns, created);
  return created;
}

export function addBlob<P extends Payload>(
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

export function insert<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  for (const [channel, version] of Object.entries(entry.versions)) {
    const blob = namespace.blobs.get(blobKey(channel, version));
    if (blob) blob.references += 1;
  }
  store.bytes += checkpointBytes(entry);
  const previous = putInOrder(namespace.checkpoints, entry);
  if (previous) {
    // LangGraph may put the same checkpoint again, with other metadata; its pending writes are kept.
    entry.writes = previous.writes;
    release(store, namespace, previous);
  }
  putInOrder(ownOf(store, entry.run, entry.ns), entry);
  const early = store.early.get(earlyKey(entry.ns, entry.id));
  if (!early) return;
  store.early.delete(earlyKey(entry.ns, entry.id));
  store.bytes -= writesBytes(early.writes);
  for (const write of early.writes) addWrite(store, entry.writes, write);
}

export function applyWrites<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  checkpointId: string,
  writes: StoredWrite<P>[],
): void {
  const list = findCheckpoint(store, ns, checkpointId)?.writes ?? earlyOf(store, ns, checkpointId);
  for (const write of writes) addWrite(store, list, write);
}

function earlyOf<P extends Payload>(
  store: CheckpointStore<P>,
  ns: string,
  checkpointId: string,
): StoredWrite<P>[] {
  const key = earlyKey(ns, checkpointId);
  const known = store.early.get(key);
  if (known) return known.writes;
  const writes: StoredWrite<P>[] = [];
  store.early.set(key, { ns, checkpointId, writes });
  return writes;
}

function addWrite<P extends Payload>(
  store: CheckpointStore<P>,
  writes: StoredWrite<P>[],
  write: StoredWrite<P>,
): void {
  store.bytes += mergeWrite(store.writeIndex, writes, write);
}

function retainNewest<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  ns: string,
  run: string,
  retain: number,
): void {
  const own = store.byRun.get(run)?.get(ns) ?? [];
  for (const entry of own.slice(0, Math.max(0, own.length - retain))) drop(store, namespace, entry);
}

function drop<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  removeById(namespace.checkpoints, entry.id);
  clearWrites(store, entry);
  release(store, namespace, entry);
}

/** Releases a checkpoint's blobs, and removes it from the list of its run. */
function release<P extends Payload>(
  store: CheckpointStore<P>,
  namespace: Namespace<P>,
  entry: StoredCheckpoint<P>,
): void {
  releaseBlobs(store, namespace, entry);
  removeById(store.byRun.get(entry.run)?.get(entry.ns) ?? [], entry.id);
  forgetEmpty(store, entry.run, entry.ns);
}

function releaseBlobs<P extends Payload>(
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

/** Removes the empty lists of a run without checkpoints. */
function forgetEmpty<P extends Payload>(store: CheckpointStore<P>, run: string, ns: string): void {
  const ofRun = store.byRun.get(run);
  if (ofRun?.get(ns)?.length === 0) ofRun.delete(ns);
  if (ofRun?.size === 0) store.byRun.delete(run);
}

function ownOf<P extends Payload>(
  store: CheckpointStore<P>,
  run: string,
  ns: string,
): StoredCheckpoint<P>[] {
  const ofRun = store.byRun.get(run) ?? new Map<string, StoredCheckpoint<P>[]>();
  store.byRun.set(run, ofRun);
  const own = ofRun.get(ns) ?? [];
  ofRun.set(ns, own);
  return own;
}

function clearWrites<P extends Payload>(
  store: CheckpointStore<P>,
  entry: StoredCheckpoint<P>,
): void {
  store.bytes -= writesBytes(entry.writes);
  entry.writes = [];
}
