import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint';

type Saver = BaseCheckpointSaver<string>;

export interface UpdateSaver {
  saver: Saver;
  /**
   * There are no pending writes meanwhile: LangGraph.js notes an update beside the older checkpoint. It relies on that for
   * delta channels and leaves their values out of the new one; `snapshots` has them.
   */
  onlyCheckpoints<T>(snapshots: Record<string, unknown>, work: () => Promise<T>): Promise<T>;
}

/** The saver with a memory: checkpoints that it loaded or saved are read again without a call. */
export function rememberCheckpoints(saver: Saver): UpdateSaver {
  const found = new Map<string, CheckpointTuple>();
  let snapshots: Record<string, unknown> | undefined;

  const getTuple: Saver['getTuple'] = async (config) => {
    const tuple = found.get(keyOf(config)) ?? (await saver.getTuple(config));
    if (tuple === undefined) return undefined;
    found.set(keyOf(tuple.config), tuple);
    const checkpoint = copyOf(tuple.checkpoint); // LangGraph changes what it is given
    return { ...tuple, checkpoint, ...(snapshots === undefined ? {} : { pendingWrites: [] }) };
  };
  const put: Saver['put'] = async (config, given, metadata, newVersions) => {
    const values = { ...given.channel_values, ...snapshots };
    const checkpoint = { ...given, channel_values: values };
    const saved = await saver.put(config, checkpoint, metadata, newVersions);
    const tuple = { config: saved, checkpoint: copyOf(checkpoint), metadata, pendingWrites: [] };
    found.set(keyOf(saved), tuple);
    return saved;
  };
  const putWrites: Saver['putWrites'] = async (...args) => {
    if (snapshots === undefined) await saver.putWrites(...args);
  };
  const own = {
    getTuple: { value: getTuple },
    put: { value: put },
    putWrites: { value: putWrites },
  };
  return {
    saver: Object.create(saver, own) as Saver, // its prototype is one
    async onlyCheckpoints(known, work) {
      snapshots = known;
      try {
        return await work();
      } finally {
        snapshots = undefined;
      }
    },
  };
}

function copyOf(checkpoint: CheckpointTuple['checkpoint']): CheckpointTuple['checkpoint'] {
  const seen = Object.entries(checkpoint.versions_seen);
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values },
    channel_versions: { ...checkpoint.channel_versions },
    versions_seen: Object.fromEntries(seen.map(([node, versions]) => [node, { ...versions }])),
  };
}

function keyOf({ configurable }: RunnableConfig): string {
  return JSON.stringify([
    configurable?.['checkpoint_ns'] ?? '',
    configurable?.['checkpoint_id'] ?? '',
  ]);
}
