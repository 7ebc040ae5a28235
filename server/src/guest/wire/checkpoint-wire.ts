import type {
  ChannelBlob,
  Checkpoint,
  CheckpointHead,
  CheckpointOp,
  PendingWrite,
  TypedBytes,
} from '../../model/checkpoint/checkpoint.ts';
import { jsonText } from '../../model/json.ts';
import type { CheckpointQuery } from '../port.ts';
import type {
  BlobMessage,
  CheckpointMessage,
  ListRequestMessage,
  TypedMessage,
  WriteMessage,
  WriteRequestMessage,
  WritesMessage,
} from './proto-messages.ts';

/** One write as a guest sent it. */
export interface GuestWrite {
  token: string;
  seq: number;
  isSync: boolean;
  threadId: string;
  op: CheckpointOp;
}

const EMPTY = new Uint8Array(0);

/** Reads a WriteRequest; undefined when it carries no operation. */
export function readWrite(message: WriteRequestMessage): GuestWrite | undefined {
  const { save, writes } = message;
  const about = {
    token: message.token ?? '',
    seq: message.seq ?? 0,
    isSync: message.sync ?? false,
  };
  if (save) {
    const op: CheckpointOp = {
      kind: 'save',
      save: { ...readHead(save), blobs: save.blobs.map(readBlob) },
    };
    return { ...about, threadId: save.thread_id ?? '', op };
  }
  if (writes) return { ...about, threadId: writes.thread_id ?? '', op: readWrites(writes) };
  return undefined;
}

function readWrites(message: WritesMessage): CheckpointOp {
  const writes = message.writes.map((write) => {
    const read = readPendingWrite(write);
    if (read.taskId === '') read.taskId = message.task_id ?? '';
    if (read.taskPath === '') read.taskPath = message.task_path ?? '';
    return read;
  });
  const { checkpoint_ns: ns = '', checkpoint_id: checkpointId = '' } = message;
  return { kind: 'writes', writes: { ns, checkpointId, writes } };
}

function readHead(message: CheckpointMessage): CheckpointHead {
  const versions: Record<string, string> = {};
  for (const { channel = '', version = '' } of message.channel_versions)
    versions[channel] = version;
  const head: CheckpointHead = {
    ns: message.checkpoint_ns ?? '',
    id: message.checkpoint_id ?? '',
    ts: message.ts ?? '',
    skeleton: readTyped(message.skeleton),
    metadata: readTyped(message.metadata),
    metadataJson: jsonText(message.metadata_json || '{}'),
    versions,
  };
  if (message.parent_checkpoint_id) head.parentId = message.parent_checkpoint_id;
  return head;
}

function readTyped(message: TypedMessage | undefined): TypedBytes {
  return { tag: message?.tag ?? '', bytes: message?.data ?? EMPTY };
}

function readBlob(message: BlobMessage): ChannelBlob {
  const blob: ChannelBlob = {
    channel: message.channel ?? '',
    version: message.version ?? '',
    value: readTyped(message.value),
  };
  if (message.json !== undefined) blob.json = jsonText(message.json);
  return blob;
}

function readPendingWrite(message: WriteMessage): PendingWrite {
  const write: PendingWrite = {
    taskId: message.task_id ?? '',
    taskPath: message.task_path ?? '',
    index: message.index ?? 0,
    channel: message.channel ?? '',
    value: readTyped(message.value),
  };
  if (message.json !== undefined) write.json = jsonText(message.json);
  return write;
}

/** The message that carries a checkpoint to a guest. */
export function checkpointMessage(threadId: string, checkpoint: Checkpoint): CheckpointMessage {
  return {
    thread_id: threadId,
    checkpoint_ns: checkpoint.ns,
    checkpoint_id: checkpoint.id,
    parent_checkpoint_id: checkpoint.parentId ?? '',
    ts: checkpoint.ts,
    skeleton: typedMessage(checkpoint.skeleton),
    metadata: typedMessage(checkpoint.metadata),
    metadata_json: checkpoint.metadataJson,
    channel_versions: Object.entries(checkpoint.versions).map(([channel, version]) => ({
      channel,
      version,
    })),
    // The JSON projections are for HTTP responses; a guest has no use for them.
    blobs: checkpoint.blobs.map(({ channel, version, value }) => ({
      channel,
      version,
      value: typedMessage(value),
    })),
    writes: checkpoint.writes.map((write) => ({
      task_id: write.taskId,
      task_path: write.taskPath,
      index: write.index,
      channel: write.channel,
      value: typedMessage(write.value),
      ...(write.run !== undefined && { run_id: write.run }),
    })),
  };
}

function typedMessage({ tag, bytes }: TypedBytes): TypedMessage {
  return { tag, data: bytes };
}

/** Reads the query of a ListRequest; throws a SyntaxError or TypeError when its filter is no JSON object. */
export function readQuery(message: ListRequestMessage): CheckpointQuery {
  const query: CheckpointQuery = {};
  if (message.thread_id !== undefined) query.threadId = message.thread_id;
  if (message.checkpoint_ns !== undefined) query.ns = message.checkpoint_ns;
  if (message.checkpoint_id) query.id = message.checkpoint_id;
  if (message.before_checkpoint_id) query.beforeId = message.before_checkpoint_id;
  if (message.limit) query.limit = message.limit;
  if (message.own) query.isOwn = true;
  if (message.filter_json) query.filter = readFilter(message.filter_json);
  return query;
}

function readFilter(json: string): Record<string, unknown> {
  const filter: unknown = JSON.parse(json);
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw new TypeError('the filter is not a JSON object');
  }
  return filter as Record<string, unknown>; // just checked
}
