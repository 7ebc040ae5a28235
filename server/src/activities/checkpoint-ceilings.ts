/*
 * Ceilings. One table of formulas, `model/limits/limits.ts` (docs/limits.md is generated from it); a thread keeps its
 * `max_checkpoint_bytes` from its creation. They are enforced on the host, before anything reaches the engine:
 * `activities/checkpoint-ceilings.ts` checks every write of an attempt, `checkpoint-batcher.ts` the content of one
 * payload of the engine, `engine/client/engine-writes.ts` metadata. The limit that the engine reports is compared at
 * the start (`engine/client/ceilings.ts`).
 */
import type { ServiceError } from '../errors/service-error.ts';
import type { Checkpoint } from '../model/checkpoint/checkpoint.ts';
import type { ThreadLimits } from '../model/limits/limits.ts';
import type { StoredOp, StoredWrite } from '../model/checkpoint/stored.ts';
import { PendingWriteLedger } from './pending-write-ledger.ts';
import { checkpointTooLarge, enginePayloadTooLarge, writesTooLarge } from './too-large.ts';

/** Counts rejections. */
export interface RejectionCounter {
  inc(labels: { limit: string; operation: string }): void;
}

/** LangGraph's channel for the exception of a task: it is only informative. */
const ERROR_CHANNEL = '__error__';

/** An attempt continues from the newest checkpoint, or from the one before it. */
const CHECKPOINTS_REMEMBERED = 2;

interface SizedChannel {
  key: string;
  channel: string;
  size: number;
}

type SaveOp = Extract<StoredOp<Uint8Array>, { kind: 'save' }>;
type WritesOp = Extract<StoredOp<Uint8Array>, { kind: 'writes' }>;

/** The size ceilings of one thread, applied before an attempt's writes are sent to the engine (docs/limits.md). */
export interface CheckpointCeilings {
  /** Records a checkpoint that the thread has: later saves share its channel values. */
  learn(checkpoint: Checkpoint): void;
  /**
   * The write as it may be sent. Throws `checkpoint_too_large`, which names the payload and both sizes. An exception's
   * value that is too large is left out: the run ends with the exception nevertheless.
   */
  admit(op: StoredOp<Uint8Array>): StoredOp<Uint8Array>;
  /** The limit of one payload of the engine. */
  readonly batchBytes: number;
  /** The error for a write that exceeds it even with everything offloaded that can be. */
  beyondEngine(op: StoredOp, bytes: number): ServiceError;
}

/** Creates the ceilings for an attempt on a thread with these limits and this checkpoint history. */
export function createCheckpointCeilings(options: {
  limits: ThreadLimits;
  maxCheckpointHistory: number;
  rejections: RejectionCounter;
}): CheckpointCeilings {
  const { limits, rejections } = options;
  /** Bytes of channel versions by namespace, newest checkpoint first: a later one shares them. */
  const known = new Map<string, ReadonlyMap<string, number>[]>();
  const ledger = new PendingWriteLedger(options.maxCheckpointHistory);

  function channelSizes(
    ns: string,
    versions: Record<string, string>,
    blobs: readonly { channel: string; version: string; value: { bytes: Uint8Array } }[],
  ): SizedChannel[] {
    const given = new Map(
      blobs.map(({ channel, version, value }) => [
        versionKey(channel, version),
        value.bytes.byteLength,
      ]),
    );
    const sources = [given, ...(known.get(ns) ?? [])];
    return Object.entries(versions).map(([channel, version]) => {
      const key = versionKey(channel, version);
      return { key, channel, size: sources.find((sizes) => sizes.has(key))?.get(key) ?? 0 };
    });
  }

  function remember(ns: string, channels: readonly SizedChannel[]): void {
    const sizes = new Map(channels.map(({ key, size }) => [key, size]));
    known.set(ns, [sizes, ...(known.get(ns) ?? [])].slice(0, CHECKPOINTS_REMEMBERED));
  }

  function admitSave(op: SaveOp): SaveOp {
    const { checkpoint, blobs } = op;
    const channels = channelSizes(checkpoint.ns, checkpoint.versions, blobs);
    const own = checkpoint.skeleton.bytes.byteLength + checkpoint.metadata.bytes.byteLength;
    const size = channels.reduce((sum, channel) => sum + channel.size, own);
    if (size > limits.checkpoint) {
      throw rejected('save_checkpoint', checkpointTooLarge(size, limits.checkpoint, channels));
    }
    remember(checkpoint.ns, channels);
    ledger.saved(checkpoint.ns, checkpoint.id);
    return op;
  }

  function admitWrites(op: WritesOp): WritesOp {
    const fits = ({ value }: StoredWrite<Uint8Array>): boolean =>
      value.bytes.byteLength <= limits.pendingWrite;
    const writes = op.writes.filter((write) => write.channel !== ERROR_CHANNEL || fits(write));
    const large = writes.find((write) => !fits(write));
    if (large) throw refuseWrites([large], 'pending_write', limits.pendingWrite);
    if (sizeOf(writes) > limits.pendingWriteBatch) {
      throw refuseWrites(writes, 'pending_write_batch', limits.pendingWriteBatch);
    }
    const limit = limits.retainedPendingWrites;
    const excess = ledger.total + ledger.growth(op.ns, op.checkpointId, writes) - limit;
    const shed = excess > 0 ? ledger.shed(excess) : [];
    const retained = ledger.total + ledger.growth(op.ns, op.checkpointId, writes);
    if (retained > limit) throw refuseWrites(writes, 'retained_pending_writes', limit, retained);
    ledger.wrote(op.ns, op.checkpointId, writes);
    if (shed.length > 0) return { ...op, writes, shed };
    return writes.length === op.writes.length ? op : { ...op, writes };
  }

  function refuseWrites(
    writes: readonly StoredWrite<Uint8Array>[],
    limit: 'pending_write' | 'pending_write_batch' | 'retained_pending_writes',
    limitBytes: number,
    size = sizeOf(writes),
  ): ServiceError {
    return rejected('save_writes', writesTooLarge(limit, size, limitBytes, writes));
  }

  function rejected(operation: string, error: ServiceError): ServiceError {
    rejections.inc({ limit: String(error.details['limit_name']), operation });
    return error;
  }

  return {
    learn({ ns, id, versions, blobs, writes }) {
      remember(ns, channelSizes(ns, versions, blobs));
      ledger.wrote(ns, id, writes);
    },
    admit: (op) => (op.kind === 'save' ? admitSave(op) : admitWrites(op)),
    batchBytes: limits.inlineSave,
    beyondEngine(op, bytes) {
      const operation = op.kind === 'save' ? 'save_checkpoint' : 'save_writes';
      return rejected(operation, enginePayloadTooLarge(op, bytes, limits.inlineSave));
    },
  };
}

function sizeOf(writes: readonly StoredWrite<Uint8Array>[]): number {
  return writes.reduce((sum, { value }) => sum + value.bytes.byteLength, 0);
}

function versionKey(channel: string, version: string): string {
  return `${channel}\n${version}`;
}
