import type { RunnableConfig } from '@langchain/core/runnables';
import type {
  BaseCheckpointSaver,
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { nextChannelVersion } from './channel-version.ts';
import {
  isGraphAnswer,
  configOf,
  thrownText,
  decodeCheckpoint,
  encodeCheckpoint,
  encodeWrites,
  type CheckpointKey,
} from './checkpoint-codec.ts';
import type { TouchedCheckpoint } from './later-attempt.ts';
import { openSnapshotVersions } from './delta-channels.ts';
import type { HostChannel } from './host-channel.ts';
import type { LangGraphLibrary, Serializer } from './langgraph-library.ts';
import { migratePendingSends } from './pending-sends.ts';
import type { RunWriter } from './run-writer.ts';
import type { CheckpointMessage, WriteOp } from './wire.ts';

export interface SaverOptions {
  channel: HostChannel;
  writer: RunWriter;
  /** The thread that the two below are about. */
  threadId?: string;
  /** The root namespace's head, when the host sent it along: `null` for a thread without checkpoints. */
  knownHead?: CheckpointMessage | null;
  /** Nothing was ever written to this thread before this run: every namespace starts empty. */
  isNewThread: boolean;
  /** Joins the metadata of every checkpoint. */
  runMetadata: Record<string, unknown>;
  /** The channels of the root graph's state, as its users see it. */
  stateChannels?: ReadonlySet<string>;
  /** Called with what a task threw, before LangGraph reports that the task has ended. */
  onTaskError?: (taskId: string, text: string) => void;
  /** Called with each checkpoint that was loaded, and the config that addresses it. */
  onLoad?: (found: CheckpointTuple, config: RunnableConfig) => void;
}

export interface RunSaver {
  saver: BaseCheckpointSaver<string>;
  /** Resolves when every write so far has its number and is on its way. */
  queued: () => Promise<void>;
  /** From now on the answer that a lost attempt recorded for the whole graph is not read any more. */
  forgetAnswer: () => void;
  /** The checkpoints, of all namespaces, that this run has saved or has written beside. */
  touched: () => Promise<TouchedCheckpoint[]>;
}

/**
 * A checkpoint saver over the host's Checkpoints service, for one run. It extends the base class of the agent's
 * own LangGraph, hence the class inside a function.
 */
export function createSaver(library: LangGraphLibrary, options: SaverOptions): RunSaver {
  const { channel, writer } = options;
  let tail = Promise.resolve();
  let numbered = Promise.resolve();
  let head = options.knownHead;
  const writtenNamespaces = new Set<string>();
  const snapshots = openSnapshotVersions();
  let isAnswerForgotten = false;

  /**
   * Queues a write behind the earlier ones. It waits for durability when the run wants that, and never for
   * room in the stream: LangGraph makes a save only when the one before it has resolved, but writes at once. Saves would
   * fall ever further behind the writes that belong to them, and the host would keep those for checkpoints to come.
   */
  const queue = (ns: string, encoded: Promise<WriteOp>): Promise<void> => {
    if (writer.failure !== undefined) {
      encoded.catch(() => undefined);
      return Promise.reject(writer.failure);
    }
    writtenNamespaces.add(ns);
    const turn = numbered.then(async () => writer.write(await encoded));
    numbered = turn.then(
      () => undefined,
      () => undefined,
    );
    const sent = turn.then((write) => write.sent);
    tail = Promise.all([tail, sent.catch(() => undefined)]).then(() => undefined);
    return turn.then((write) => write.durable);
  };

  const fetch = async (key: CheckpointKey): Promise<CheckpointMessage | undefined> => {
    const isUntouched = key.threadId === options.threadId && !writtenNamespaces.has(key.ns);
    if (key.checkpointId === '' && isUntouched) {
      if (key.ns === '' && head !== undefined) return head ?? undefined;
      if (options.isNewThread) return undefined;
    }
    await tail;
    if (writer.failure !== undefined) throw writer.failure;
    const { token, lastSeq } = writer;
    const { threadId, ns, checkpointId } = key;
    return channel.load({ token, threadId, checkpointNs: ns, checkpointId, afterSeq: lastSeq });
  };

  const decode = async (
    serde: Serializer,
    message: CheckpointMessage,
  ): Promise<CheckpointTuple> => {
    const tuple = await decodeCheckpoint(serde, message);
    // LangGraph.js records it in the namespaces of sub-graphs, too.
    if (isAnswerForgotten) {
      tuple.pendingWrites = (tuple.pendingWrites ?? []).filter((write) => !isGraphAnswer(write));
    }
    snapshots.note(message.checkpointNs, tuple.checkpoint);
    if (tuple.checkpoint.v >= 4 || message.parentCheckpointId === '') return tuple;
    const parent = await fetch({
      threadId: message.threadId,
      ns: message.checkpointNs,
      checkpointId: message.parentCheckpointId,
    });
    return parent === undefined ? tuple : migratePendingSends(serde, tuple, parent);
  };

  class HostSaver extends library.BaseCheckpointSaver<string> {
    async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
      if (config.configurable?.['thread_id'] === undefined) return undefined;
      const message = await fetch(keyOf(config));
      if (message === undefined) return undefined;
      const found = await decode(this.serde, message);
      options.onLoad?.(found, config);
      return found;
    }

    async *list(
      config: RunnableConfig,
      listOptions: CheckpointListOptions = {},
    ): AsyncGenerator<CheckpointTuple> {
      const { thread_id: threadId, checkpoint_ns: ns } = config.configurable ?? {};
      await tail;
      const messages = channel.list({
        token: writer.token,
        ...(typeof threadId === 'string' ? { threadId } : {}),
        ...(typeof ns === 'string' ? { checkpointNs: ns } : {}),
        checkpointId: idOf(config),
        beforeCheckpointId: listOptions.before === undefined ? '' : idOf(listOptions.before),
        limit: listOptions.limit ?? 0,
        filterJson: listOptions.filter === undefined ? '' : JSON.stringify(listOptions.filter),
        afterSeq: writer.lastSeq,
        own: false,
      });
      for await (const message of messages) yield decode(this.serde, message);
    }

    async put(
      config: RunnableConfig,
      checkpoint: Checkpoint,
      metadata: CheckpointMetadata,
      newVersions: ChannelVersions,
    ): Promise<RunnableConfig> {
      const { threadId, ns, checkpointId: parentId } = keyOf(config);
      snapshots.note(ns, checkpoint);
      const encoded = encodeCheckpoint(this.serde, checkpoint, {
        threadId,
        ns,
        parentId,
        metadata: { ...options.runMetadata, ...metadata },
        newVersions: newVersions ?? checkpoint.channel_versions, // absent in calls of old versions
        hasSnapshot: (name, version) => snapshots.has(ns, name, version),
        isUserChannel: (name) => isUserChannel(ns, name, options.stateChannels),
      });
      await queue(
        ns,
        encoded.then((save) => ({ save })),
      );
      return configOf({ threadId, ns, checkpointId: checkpoint.id });
    }

    async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
      const key = keyOf(config);
      if (key.checkpointId === '') throw new Error('putWrites needs configurable.checkpoint_id.');
      const pairs = writes.map(([name, value]): [string, unknown] => [String(name), value]);
      for (const [name, value] of pairs) {
        if (name === '__error__') options.onTaskError?.(taskId, thrownText(value));
      }
      const encoded = encodeWrites(this.serde, key, taskId, pairs);
      await queue(
        key.ns,
        encoded.then((message) => ({ writes: message })),
      );
    }

    async deleteThread(threadId: string): Promise<void> {
      await tail;
      head = undefined;
      await channel.deleteThread({ token: writer.token, threadId, afterSeq: writer.lastSeq });
    }

    override getNextVersion(current: string | undefined): string {
      return nextChannelVersion(current);
    }
  }

  const serde = library.makeSerializer();
  return {
    saver: new HostSaver(serde),
    queued: () => tail,
    forgetAnswer: () => (isAnswerForgotten = true),
    async touched() {
      await tail;
      const query = { checkpointId: '', beforeCheckpointId: '', limit: 0, filterJson: '' };
      const { token, lastSeq: afterSeq } = writer;
      const { threadId = '' } = options;
      const found: TouchedCheckpoint[] = [];
      for await (const message of channel.list({
        ...query,
        token,
        threadId,
        afterSeq,
        own: true,
      })) {
        const tuple = await decodeCheckpoint(serde, message);
        found.push({ tuple, writers: message.writes.map(({ runId }) => runId ?? '') });
      }
      return found;
    },
  };
}

function keyOf(config: RunnableConfig): CheckpointKey {
  const { thread_id: threadId, checkpoint_ns: ns } = config.configurable ?? {};
  if (typeof threadId !== 'string' || threadId === '') {
    throw new Error('A checkpointer needs configurable.thread_id.');
  }
  return { threadId, ns: typeof ns === 'string' ? ns : '', checkpointId: idOf(config) };
}

/** `thread_ts` is the old name of `checkpoint_id`. */
function idOf(config: RunnableConfig): string {
  const { checkpoint_id: id, thread_ts: oldId } = config.configurable ?? {};
  if (typeof id === 'string' && id !== '') return id;
  return typeof oldId === 'string' ? oldId : '';
}

/** Channels whose value is the whole state: what an entrypoint returned, a state without a schema. */
const wholeStates = new Set(['__end__', '__root__']);
const ownNames = /^(?:__|branch:|join:|start:)/;

/** Whether a channel belongs to the state that users see, rather than to LangGraph's own bookkeeping. */
function isUserChannel(
  ns: string,
  channel: string,
  stateChannels: ReadonlySet<string> | undefined,
): boolean {
  if (wholeStates.has(channel)) return ns === '' && stateChannels?.has(channel) === true;
  if (ownNames.test(channel)) return false;
  return ns !== '' || stateChannels === undefined || stateChannels.has(channel);
}
