/** A whole thread exported from the engine, in pages that stay below the engine's ceiling. */
import { PAYLOAD_CEILING_BYTES } from '../limits/limits.ts';
import { engineBytes } from '../checkpoint/payload.ts';
import {
  blobBytes,
  checkpointBytes,
  type ChannelBlob,
  type StoredCheckpoint,
  writeBytes,
} from '../checkpoint/stored.ts';
import { payloadsOf, type StoredRun } from '../run/run-record.ts';
import type { ThreadSnapshot, ThreadState } from './thread-record.ts';
import { snapshotThread } from './thread-state.ts';

/** How many runs, checkpoints and blobs the previous pages contained. */
export interface ExtractCursor {
  runs: number;
  checkpoints: number;
  blobs: number;
}

/** A page of a thread. Pages with the same `mark` are parts of the same state of it. */
export interface ThreadExtract {
  mark: string;
  thread: ThreadSnapshot['thread'];
  runs: StoredRun[];
  checkpoints: StoredCheckpoint[];
  blobs: ChannelBlob[];
  /** The cursor of the next page; absent with the last one. */
  next?: ExtractCursor;
}

/** The parts of a thread from the cursor on, as many as fit; at least one part. */
export function extractThread(
  state: ThreadState,
  from: ExtractCursor,
  ceiling = PAYLOAD_CEILING_BYTES,
): ThreadExtract {
  const { thread, runs, store } = snapshotThread(state);
  const { context: held, ...small } = thread;
  let left = ceiling - JSON.stringify(small).length - (held ? engineBytes(held) : 0);
  let isFirst = true;
  const take = <T>(items: readonly T[], start: number, bytesOf: (item: T) => number): T[] => {
    const taken: T[] = [];
    for (const item of items.slice(start)) {
      left -= bytesOf(item);
      if (left < 0 && !isFirst) break;
      isFirst = false;
      taken.push(item);
    }
    return taken;
  };
  const page = {
    runs: take(runs, from.runs, runBytes),
    checkpoints: take(store.checkpoints, from.checkpoints, fullCheckpointBytes),
    blobs: take(store.blobs, from.blobs, blobBytes),
  };
  const next = {
    runs: from.runs + page.runs.length,
    checkpoints: from.checkpoints + page.checkpoints.length,
    blobs: from.blobs + page.blobs.length,
  };
  const isLast =
    next.runs >= runs.length &&
    next.checkpoints >= store.checkpoints.length &&
    next.blobs >= store.blobs.length;
  return { mark: markOf(state), thread, ...page, ...(!isLast && { next }) };
}

/** Differs when anything that an extract holds has changed. */
function markOf(state: ThreadState): string {
  const runs = [...state.runs.values()];
  const open = runs.filter((run) => run.request !== undefined);
  return JSON.stringify([
    state.revision,
    state.updatedAt,
    state.store.bytes,
    state.active ?? '',
    state.queue.length,
    runs.length,
    // A compaction sheds outputs and contexts and changes nothing else.
    runs.filter((run) => run.output !== undefined).length,
    runs.filter((run) => run.context !== undefined).length,
    open.map((run) => [run.runUuid, run.status, run.attempt, run.seq]),
  ]);
}

function runBytes(run: StoredRun): number {
  const plain = JSON.stringify([run.metadata, run.error ?? null]).length;
  return payloadsOf(run).reduce((sum, payload) => sum + engineBytes(payload), 800 + plain);
}

function fullCheckpointBytes(checkpoint: StoredCheckpoint): number {
  return checkpoint.writes.reduce(
    (sum, write) => sum + writeBytes(write),
    checkpointBytes(checkpoint),
  );
}
