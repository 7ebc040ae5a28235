import { fromBytes } from '../model/frame.ts';
import { jsonText, type JsonText } from '../model/json-text.ts';
import type { HistoryEntry } from '../model/thread.ts';
import type { ReadCheckpoint } from './checkpoint-reader.ts';

/** Channels whose value is the whole state: LangGraph's functional API, and graphs without a state schema. */
const WHOLE_STATE = new Set(['__root__', '__end__']);

/** The `values` object of a checkpoint, put together from its channels' projections without parsing them. */
export function stateValues({ blobs }: ReadCheckpoint): JsonText {
  const members: string[] = [];
  for (const { channel, json } of blobs) {
    if (!json) continue;
    const text = fromBytes(json);
    if (!WHOLE_STATE.has(channel)) members.push(`${JSON.stringify(channel)}:${text}`);
    else if (text.startsWith('{')) return jsonText(text);
    else members.push(`"value":${text}`);
  }
  return jsonText(`{${members.join(',')}}`);
}

/** A history entry as the `threads` room presents it. */
export function historyEntry(read: ReadCheckpoint): HistoryEntry {
  const { ns, id, parentId, ts, metadataJson } = read.checkpoint;
  return {
    ns,
    id,
    ...(parentId !== undefined && { parentId }),
    ts,
    values: stateValues(read),
    metadata: jsonText(fromBytes(metadataJson)),
  };
}
