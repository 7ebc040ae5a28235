import type { Checkpoint, CheckpointOp, PendingWrite } from './checkpoint.ts';
import { fromBytes, toBytes } from '../frame.ts';
import { jsonText } from '../json.ts';
import type { ChannelBlob, StoredCheckpoint, StoredOp, StoredWrite } from './stored.ts';

/** A guest's write in the form in which a thread keeps it. */
export function toStoredOp(op: CheckpointOp): StoredOp<Uint8Array> {
  if (op.kind === 'writes') {
    const { ns, checkpointId, writes } = op.writes;
    return { kind: 'writes', ns, checkpointId, writes: writes.map(toStoredWrite) };
  }
  const { blobs, metadataJson, ...head } = op.save;
  return {
    kind: 'save',
    checkpoint: { ...head, metadataJson: toBytes(metadataJson) },
    blobs: blobs.map(({ json, ...blob }) => {
      return json === undefined ? blob : { ...blob, json: toBytes(json) };
    }),
  };
}

/** A retained checkpoint in the form in which a guest loads it. `blobs` are those of its versions. */
export function toCheckpoint(
  stored: Omit<StoredCheckpoint<Uint8Array>, 'run'>,
  blobs: readonly Omit<ChannelBlob<Uint8Array>, 'ns'>[],
): Checkpoint {
  return {
    ns: stored.ns,
    id: stored.id,
    ts: stored.ts,
    skeleton: stored.skeleton,
    metadata: stored.metadata,
    versions: stored.versions,
    ...(stored.parentId !== undefined && { parentId: stored.parentId }),
    metadataJson: jsonText(fromBytes(stored.metadataJson)),
    blobs: blobs.map(({ channel, version, value, json }) => {
      return { channel, version, value, ...(json && { json: jsonText(fromBytes(json)) }) };
    }),
    writes: stored.writes.map(toPendingWrite),
  };
}

function toStoredWrite({ json, ...write }: PendingWrite): StoredWrite<Uint8Array> {
  return json === undefined ? write : { ...write, json: toBytes(json) };
}

function toPendingWrite({ json, ...write }: StoredWrite<Uint8Array>): PendingWrite {
  return json === undefined ? write : { ...write, json: jsonText(fromBytes(json)) };
}
