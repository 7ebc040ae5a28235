import type { Checkpoint } from '@langchain/langgraph-checkpoint';

/**
 * LangGraph's DeltaChannel (beta) saves a snapshot only now and then, and otherwise rebuilds its value from the
 * writes of older checkpoints. The host may retain a single checkpoint per run: such a chain would be cut and the
 * value lost. So every change is saved as a snapshot, and every checkpoint is complete.
 */
export interface DeltaChannelClass {
  prototype: { fromCheckpoint(checkpoint: unknown): { snapshotFrequency: number } };
}

const done = new WeakSet<object>();

/** From now on every delta channel of this copy of LangGraph saves a snapshot whenever it changed. */
export function snapshotDeltaChannels({ prototype }: DeltaChannelClass): void {
  if (done.has(prototype)) return;
  done.add(prototype);
  const original = prototype.fromCheckpoint;
  // On the class: the channels of a run are made by this method, those of sub-graphs in a node's code too.
  prototype.fromCheckpoint = function (checkpoint) {
    const channel = original.call(this, checkpoint);
    channel.snapshotFrequency = 1;
    return channel;
  };
}

/** True for a delta channel's saved value, from any copy of LangGraph. */
export function isDeltaSnapshot(value: unknown): value is { value: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'lg_name' in value &&
    value.lg_name === 'DeltaSnapshot'
  );
}

/** A value as a delta channel saves it; LangGraph knows it by its mark. */
export function deltaSnapshot(value: unknown): unknown {
  return { lg_name: 'DeltaSnapshot', value };
}

/** Which versions of which channels are snapshots: LangGraph leaves an unchanged delta channel out of a checkpoint. */
export function openSnapshotVersions(): {
  note(ns: string, checkpoint: Checkpoint): void;
  has(ns: string, channel: string, version: string): boolean;
} {
  const known = new Set<string>();
  const keyOf = (ns: string, channel: string, version: string): string =>
    JSON.stringify([ns, channel, version]);
  return {
    note(ns, { channel_values: values, channel_versions: versions }) {
      for (const [channel, value] of Object.entries(values)) {
        if (isDeltaSnapshot(value)) known.add(keyOf(ns, channel, String(versions[channel])));
      }
    },
    has: (ns, channel, version) => known.size > 0 && known.has(keyOf(ns, channel, version)),
  };
}
