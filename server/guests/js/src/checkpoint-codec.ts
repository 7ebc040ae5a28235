import type {
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
} from '@langchain/langgraph-checkpoint';
import { cutText, GuestError, keptMessageLimit } from './guest-error.ts';
import { projectJson } from './json-projection.ts';
import type { Serializer } from './langgraph-library.ts';
import { isRecord } from './run-config.ts';
import type { CheckpointMessage, Typed, Write, WritesMessage } from './wire.ts';

/** LangGraph's fixed positions: one write of each of these channels per task, the last one wins. */
const specialIndexes: Readonly<Record<string, number>> = {
  __error__: -1,
  __scheduled__: -2,
  __interrupt__: -3,
  __resume__: -4,
};

export interface CheckpointKey {
  threadId: string;
  ns: string;
  checkpointId: string;
}

/**
 * Turns a checkpoint into its message. Values are serialised before this returns, the promise only waits for
 * the serialiser: the graph continues and may change them.
 */
export function encodeCheckpoint(
  serde: Serializer,
  checkpoint: Checkpoint,
  options: {
    threadId: string;
    ns: string;
    parentId: string;
    metadata: CheckpointMetadata;
    newVersions: Record<string, string | number>;
    isUserChannel: (channel: string) => boolean;
    /** Whether this version has a blob although the checkpoint has no value (a delta channel's last snapshot). */
    hasSnapshot: (channel: string, version: string) => boolean;
  },
): Promise<CheckpointMessage> {
  const { channel_values: values, channel_versions: versions } = checkpoint;
  // A value without a version has no blob: it stays in the skeleton.
  const unversioned = Object.entries(values).filter(([channel]) => !(channel in versions));
  const skeleton = { ...checkpoint, channel_values: Object.fromEntries(unversioned) };
  const fresh = Object.entries(options.newVersions).filter(([channel]) => channel in values);
  const blobs = fresh.map(async ([channel, version]) => {
    const value = values[channel];
    const json = options.isUserChannel(channel) ? { json: projectJson(value) } : {};
    return { channel, version: String(version), value: await dump(serde, value), ...json };
  });
  const rest = {
    threadId: options.threadId,
    checkpointNs: options.ns,
    checkpointId: checkpoint.id,
    parentCheckpointId: options.parentId,
    ts: checkpoint.ts,
    metadataJson: projectJson(options.metadata),
    channelVersions: Object.entries(versions)
      .map(([channel, version]) => ({ channel, version: String(version) }))
      .filter(({ channel, version }) => channel in values || options.hasSnapshot(channel, version)),
    writes: [],
  };
  return Promise.all([
    dump(serde, skeleton),
    dump(serde, options.metadata),
    Promise.all(blobs),
  ]).then(([skeletonBytes, metadata, blobMessages]) => ({
    ...rest,
    skeleton: skeletonBytes,
    metadata,
    blobs: blobMessages,
  }));
}

/** Turns pending writes of one task into their message. Serialised before this returns, as above. */
export function encodeWrites(
  serde: Serializer,
  key: CheckpointKey,
  taskId: string,
  writes: [string, unknown][],
): Promise<WritesMessage> {
  const encoded = writes.map(async ([channel, value], position): Promise<Write> => {
    const kept = channel === '__error__' ? withShortText(value) : value;
    const json = writeJson(channel, kept);
    return {
      taskId,
      taskPath: '',
      index: specialIndexes[channel] ?? position,
      channel,
      value: await dump(serde, kept),
      ...(json === undefined ? {} : { json }),
      runId: '',
    };
  });
  return Promise.all(encoded).then((messages) => ({
    threadId: key.threadId,
    checkpointNs: key.ns,
    checkpointId: key.checkpointId,
    taskId,
    taskPath: '',
    writes: messages,
  }));
}

/** What LangGraph's Python serialiser calls its form; the one of JavaScript has "json". */
const pythonTag = 'msgpack';

const foreignThread =
  'This thread was run by a Python agent: a JavaScript agent cannot read its checkpoints. Use another thread.';

/** The checkpoint of a message, with its pending writes. */
export async function decodeCheckpoint(
  serde: Serializer,
  message: CheckpointMessage,
): Promise<CheckpointTuple> {
  if (message.skeleton?.tag === pythonTag) throw new GuestError('agent_error', foreignThread);
  const [skeleton, metadata, blobs, pendingWrites] = await Promise.all([
    load(serde, message.skeleton) as Promise<Checkpoint>, // what encodeCheckpoint made of one
    load(serde, message.metadata) as Promise<CheckpointMetadata>,
    Promise.all(message.blobs.map(async (blob) => [blob.channel, await load(serde, blob.value)])),
    Promise.all(
      message.writes.map(async ({ taskId, channel, value }): Promise<CheckpointPendingWrite> => [
        taskId,
        channel,
        await load(serde, value),
      ]),
    ),
  ]);
  if (!isRecord(skeleton) || !isRecord(skeleton.channel_versions) || !isRecord(metadata)) {
    throw new GuestError('agent_error', "The stored checkpoint is not one of LangGraph's.");
  }
  const { threadId, checkpointNs: ns, parentCheckpointId: parentId } = message;
  const checkpoint = {
    ...skeleton,
    channel_values: { ...skeleton.channel_values, ...Object.fromEntries(blobs) },
  };
  return {
    config: configOf({ threadId, ns, checkpointId: message.checkpointId }),
    checkpoint,
    metadata,
    pendingWrites,
    ...(parentId === ''
      ? {}
      : { parentConfig: configOf({ threadId, ns, checkpointId: parentId }) }),
  };
}

/** The config that names a checkpoint. */
export function configOf(key: CheckpointKey): {
  configurable: { thread_id: string; checkpoint_ns: string; checkpoint_id: string };
} {
  return {
    configurable: {
      thread_id: key.threadId,
      checkpoint_ns: key.ns,
      checkpoint_id: key.checkpointId,
    },
  };
}

async function dump(serde: Serializer, value: unknown): Promise<Typed> {
  const [tag, data] = await serde.dumpsTyped(value);
  return { tag, data };
}

async function load(serde: Serializer, typed: Typed | null): Promise<unknown> {
  if (typed === null) return undefined;
  return serde.loadsTyped(typed.tag, typed.data);
}

function writeJson(channel: string, value: unknown): string | undefined {
  if (channel === '__interrupt__') return projectInterrupts(Array.isArray(value) ? value : [value]);
  if (channel === '__error__') return projectJson(errorText(value));
  return undefined;
}

/** Errors are kept for people to read: what a node threw must not make the write too large. */
function withShortText(value: unknown): unknown {
  const text = errorText(value);
  if (typeof text !== 'string' || text.length <= keptMessageLimit) return value;
  const short = cutText(text, keptMessageLimit);
  return typeof value === 'string' ? short : { ...(value as object), message: short }; // it has a message
}

/** What a task threw, as it is shown to people. */
export function thrownText(value: unknown): string {
  const text = errorText(value);
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : '';
  const whole = typeof text === 'string' ? text : projectJson(text);
  return cutText(typeof name === 'string' && name !== '' ? `${name}: ${whole}` : whole);
}

function errorText(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'message' in value) return value.message;
  return value;
}

/** Interrupts as clients see them: `[{id, value}]`. */
export function projectInterrupts(interrupts: unknown[]): string {
  return projectJson(interrupts.map(visibleInterrupt));
}

/** The two fields of an interrupt that are for clients. Older versions of LangGraph name the id differently. */
export function visibleInterrupt(interrupt: unknown): { id: unknown; value: unknown } {
  if (typeof interrupt !== 'object' || interrupt === null) return { id: null, value: interrupt };
  const fields = interrupt as { id?: unknown; interrupt_id?: unknown; value?: unknown }; // all optional
  return { id: fields.id ?? fields.interrupt_id ?? null, value: fields.value ?? null };
}

/** Task id of writes that belong to no task: those of a command. */
export const noTask = '00000000-0000-0000-0000-000000000000';

/** Whether a pending write is the answer to the first task that asks, as a command records it. */
export function isGraphAnswer([taskId, channel]: CheckpointPendingWrite): boolean {
  return taskId === noTask && channel === '__resume__';
}
