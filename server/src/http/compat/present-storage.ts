import type { Stored, StoreSize } from '../../model/checkpoint/store-size.ts';
import type { ThreadId } from '../../model/ids.ts';

/** What the checkpoints of a thread take, in LangGraph's form: the schema `ThreadStorage` of its OpenAPI document. */
export function presentStorage(
  threadId: ThreadId,
  { checkpoints, channelValues, pendingWrites }: StoreSize,
): object {
  const { byChannel, ...values } = channelValues;
  const channels = Object.entries(byChannel).map(([channel, own]) => [channel, versions(own)]);
  return {
    thread_id: threadId,
    total_bytes: checkpoints.bytes + values.bytes + pendingWrites.bytes,
    checkpoints,
    channel_values: { ...values, by_channel: Object.fromEntries(channels) as object },
    pending_writes: pendingWrites,
  };
}

function versions({ count, bytes }: Stored): { versions: number; bytes: number } {
  return { versions: count, bytes };
}
