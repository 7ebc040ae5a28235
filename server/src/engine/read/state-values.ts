import { fromBytes } from '../../model/frame.ts';
import { jsonText } from '../../model/json.ts';
import {
  type ChannelJson,
  nextNodes,
  type StateValues,
} from '../../model/checkpoint/state-values.ts';
import type { HistoryEntry } from '../../model/thread/thread.ts';
import type { ReadCheckpoint } from './checkpoint-reader.ts';

/** Channels whose value is the whole state: LangGraph's functional API, and graphs without a state schema. */
const WHOLE_STATE = new Set(['__root__', '__end__']);

/** The `values` of a checkpoint: its channels' projections, unparsed. */
export function stateValues({ blobs }: ReadCheckpoint): StateValues {
  const members: ChannelJson[] = [];
  for (const { channel, json } of blobs) {
    if (!json) continue;
    if (WHOLE_STATE.has(channel)) return { kind: 'whole', json };
    members.push({ channel, json });
  }
  return { kind: 'members', members };
}

/** A history entry as the `threads` room presents it. */
export function historyEntry(read: ReadCheckpoint): HistoryEntry {
  const { ns, id, parentId, ts, metadataJson, versions } = read.checkpoint;
  const next = nextNodes(versions);
  return {
    ns,
    id,
    ...(parentId !== undefined && { parentId }),
    ts,
    values: stateValues(read),
    metadata: jsonText(fromBytes(metadataJson)),
    ...(next.length > 0 && { nextNodes: next }),
    ...(read.damage && { error: { code: read.damage.code, message: read.damage.message } }),
  };
}
