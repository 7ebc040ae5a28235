import { queryOptions } from '@tanstack/react-query';
import { getHistory } from '../../../api/generated/sdk.gen.ts';
import type { HistoryEntry } from '../../../api/generated/types.gen.ts';
import { isRecord, textOf } from '../../../api/json-record.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** Where a message of a conversation comes from. */
export interface MessageSource {
  readonly checkpointId: string;
  readonly runId: string | undefined;
  /** Of the checkpoint. */
  readonly createdAt: string;
  /** The time of the step that added it; undefined where the checkpoint before is no longer kept. */
  readonly stepMs: number | undefined;
}

/** Checkpoints that are looked through: their states have all messages up to them. */
const limit = 50;

/** The newest checkpoints of a thread, read when somebody asks where a message comes from. */
export function messageSourcesQuery(threadId: string, newestMessage: string) {
  return queryOptions({
    queryKey: threadKeys.messageSources(threadId, newestMessage),
    queryFn: async ({ signal }) => {
      const path = { thread_id: threadId };
      const { data } = await getHistory({ path, query: { limit }, signal, throwOnError: true });
      return sourcesOf(data);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false,
    retry: false,
  });
}

/** The first checkpoint that has each message, by the id of the message. The entries are newest first. */
export function sourcesOf(entries: readonly HistoryEntry[]): ReadonlyMap<string, MessageSource> {
  const sources = new Map<string, MessageSource>();
  const oldest = entries.at(-1);
  for (const [index, entry] of entries.entries()) {
    const ids = messageIds(entry.values);
    if (entry === oldest && entry.parent_checkpoint !== undefined) {
      // Its messages may be of an earlier checkpoint, which is not there.
      for (const id of ids) sources.delete(id);
      break;
    }
    const before = entries[index + 1];
    const source: MessageSource = {
      checkpointId: entry.checkpoint.checkpoint_id,
      runId: textOf(entry.metadata ?? {}, 'run_id'),
      createdAt: entry.created_at,
      stepMs: before && Date.parse(entry.created_at) - Date.parse(before.created_at),
    };
    for (const id of ids) sources.set(id, source);
  }
  return sources;
}

function messageIds(values: Readonly<Record<string, unknown>>): readonly string[] {
  const { messages } = values;
  if (!Array.isArray(messages)) return [];
  return (messages as unknown[]).flatMap((message) =>
    isRecord(message) ? (textOf(message, 'id') ?? []) : [],
  );
}
