import type { Payload } from './payload.ts';
import { type StoredWrite, writeBytes } from './stored.ts';

/** A shorter list is searched linearly; for a longer one an index pays. */
const INDEXED_LENGTH = 32;

/**
 * Pending writes in the order in which they were first made. A task's ordinary write keeps its first value, its
 * special channels (negative indexes) overwrite: LangGraph's rule.
 */
export interface WriteIndex<P = Payload> {
  /** The position of a write in its list, for long lists. A cache: it can be rebuilt. */
  positions: WeakMap<StoredWrite<P>[], Map<string, number>>;
}

/** An empty index. */
export function createWriteIndex<P extends Payload = Payload>(): WriteIndex<P> {
  return { positions: new WeakMap() };
}

/** Merges a write into a list; returns by how many bytes the list has grown. */
export function mergeWrite<P extends Payload>(
  index: WriteIndex<P>,
  writes: StoredWrite<P>[],
  write: StoredWrite<P>,
): number {
  const at = positionOf(index, writes, write);
  const previous = writes[at];
  if (!previous) {
    index.positions.get(writes)?.set(keyOf(write), writes.length);
    writes.push(write);
    return writeBytes(write);
  }
  if (write.index >= 0) return 0;
  writes[at] = write;
  return writeBytes(write) - writeBytes(previous);
}

/** Bytes of a list of writes. */
export function writesBytes<P extends Payload>(writes: readonly StoredWrite<P>[]): number {
  return writes.reduce((sum, write) => sum + writeBytes(write), 0);
}

function positionOf<P extends Payload>(
  { positions }: WriteIndex<P>,
  writes: StoredWrite<P>[],
  write: StoredWrite<P>,
): number {
  if (writes.length < INDEXED_LENGTH) {
    return writes.findIndex(
      (other) => other.taskId === write.taskId && other.index === write.index,
    );
  }
  let known = positions.get(writes);
  if (!known) {
    known = new Map(writes.map((other, position) => [keyOf(other), position]));
    positions.set(writes, known);
  }
  return known.get(keyOf(write)) ?? -1;
}

function keyOf<P extends Payload>({ taskId, index }: StoredWrite<P>): string {
  return `${index}\n${taskId}`;
}

/** A channel version's key in its namespace. */
export function blobKey(channel: string, version: string): string {
  return `${channel}\n${version}`;
}

/** The parts of a key. A channel may have any name; versions are made by LangGraph and have no line break. */
export function splitBlobKey(key: string): { channel: string; version: string } {
  const cut = key.lastIndexOf('\n');
  return { channel: key.slice(0, cut), version: key.slice(cut + 1) };
}

/** The key of writes whose checkpoint has not arrived. */
export function earlyKey(ns: string, id: string): string {
  return `${ns}\n${id}`;
}
