import { higherVersion, nextChannelVersion } from './channel-version.ts';
import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { Serializer } from './langgraph-library.ts';
import type { CheckpointMessage } from './wire.ts';

const tasksChannel = '__pregel_tasks';

/**
 * Checkpoints below format version 4 have their pending sends among the parent's writes instead of in a channel:
 * gives the checkpoint that channel.
 */
export async function migratePendingSends(
  serde: Serializer,
  tuple: CheckpointTuple,
  parent: CheckpointMessage,
): Promise<CheckpointTuple> {
  const writes = parent.writes.filter((write) => write.channel === tasksChannel);
  const sends = await Promise.all(
    writes.flatMap(
      ({ value }) =>
        value === null ? [] : (serde.loadsTyped(value.tag, value.data) as Promise<unknown>), // typed any there
    ),
  );
  const versions = Object.values(tuple.checkpoint.channel_versions);
  const version =
    versions.length > 0 ? versions.reduce(higherVersion) : nextChannelVersion(undefined);
  return {
    ...tuple,
    checkpoint: {
      ...tuple.checkpoint,
      channel_values: { ...tuple.checkpoint.channel_values, [tasksChannel]: sends },
      channel_versions: { ...tuple.checkpoint.channel_versions, [tasksChannel]: version },
    },
  };
}
