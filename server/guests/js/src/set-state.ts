import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { carryWrites } from './carried-writes.ts';
import { checkpointConfigOf, type Graph, type CheckpointConfig } from './graph.ts';
import { GuestError } from './guest-error.ts';
import { deltaSnapshot } from './delta-channels.ts';
import type { LangGraphLibrary } from './langgraph-library.ts';
import { isRecord, type RunConfig } from './run-config.ts';
import type { UpdateSaver } from './update-saver.ts';

const messagesKey = 'messages';
const startNode = '__start__';
const endNode = '__end__';
/** LangGraph's keys for the function that takes a node's writes, and for a sub-graph's checkpointer. */
const sendKey = '__pregel_send';
const checkpointerKey = '__pregel_checkpointer';

type ChannelWrite = [channel: string, value: unknown];

export interface StateChange {
  config: RunConfig;
  values: unknown;
  /** "" leaves what runs next as it is. */
  asNode: string;
}

/** Sets the values without LangGraph's guess at the node that wrote them; returns the config of the new checkpoint. */
export async function setState(
  graph: Graph,
  { saver, onlyCheckpoints }: UpdateSaver,
  { config, values, asNode }: StateChange,
  library: LangGraphLibrary,
): Promise<CheckpointConfig> {
  const owner = await ownerOf(graph, config);
  checkKeys(owner, values);
  const head = await saver.getTuple(checkpointConfigOf(config));
  const before = head && (await graph.getState(checkpointConfigOf(head.config)));
  const whole = withMessages(values, before?.values, library);
  const channels: Record<string, unknown> = {};
  const writes = Object.entries(whole).map(([name, value]): ChannelWrite => {
    const channel = owner.channels[name];
    if (!hasReducer(channel)) return [name, value];
    const replaced = library.replacing(channel, value);
    channels[name] = replaced.channel;
    return [name, replaced.value];
  });
  const deltas = Object.entries(whole).filter(
    ([name]) => kindOf(owner.channels[name]) === 'DeltaChannel',
  );
  const snapshots = Object.fromEntries(deltas.map(([name, value]) => [name, deltaSnapshot(value)]));
  let edges: unknown[] = [];
  if (asNode !== '') edges = edgesOf(owner, asNode);
  else if (head === undefined) edges = edgesOf(owner, startNode);
  else writes.unshift(...keptWrites(owner, head, values));

  const configurable: Record<string, unknown> = {
    ...config.configurable,
    // Named even when it is the head: LangGraph then leaves pending writes to us.
    ...head?.config.configurable,
  };
  // Marks it as this graph's own namespace.
  if (configurable['checkpoint_ns']) configurable[checkpointerKey] = saver;
  const written = await onlyCheckpoints(snapshots, () =>
    writtenBy(owner, { channels, writes, edges }).updateState(
      { ...config, configurable },
      {},
      nodeToWriteAs(owner),
    ),
  );
  if (head !== undefined && before !== undefined && asNode === '') {
    const interruptIdOf = await library.loadInterruptIds();
    await carryWrites(
      { graph, saver, interruptIdOf },
      { head, before, target: checkpointConfigOf(written) },
    );
  }
  return written;
}

/** The graph or sub-graph that the config's namespace belongs to. */
async function ownerOf(graph: Graph, config: RunConfig): Promise<Graph> {
  const { checkpoint_ns: ns } = checkpointConfigOf(config).configurable;
  if (ns === '') return graph;
  const parts = ns.split('|').filter((part) => !/^\d+$/.test(part));
  const path = parts.map((part) => part.split(':')[0]).join('|');
  for await (const [name, found] of graph.getSubgraphsAsync(path, true)) {
    if (name === path) return found;
  }
  throw new GuestError('invalid_request', `The agent has no sub-graph "${path}".`);
}

function checkKeys(graph: Graph, values: unknown): asserts values is Record<string, unknown> {
  if (!isRecord(values)) throw new GuestError('invalid_request', 'The values are not an object.');
  const known = graph.streamChannelsList.filter((name) => !name.startsWith('__'));
  for (const name of Object.keys(values)) {
    if (known.includes(name)) continue;
    const has = known.length === 0 ? 'it has none' : `it has ${known.toSorted().join(', ')}`;
    throw new GuestError('invalid_request', `The agent's state has no key '${name}'; ${has}.`);
  }
}

function withMessages(
  values: Record<string, unknown>,
  current: unknown,
  library: LangGraphLibrary,
): Record<string, unknown> {
  if (!(messagesKey in values)) return values;
  const before = isRecord(current) ? (current[messagesKey] ?? []) : [];
  const messages = library.addMessages(before, withContent(values[messagesKey]));
  return { ...values, [messagesKey]: messages };
}

/** LangChain wants a content of a removal too. */
function withContent(messages: unknown): unknown {
  if (Array.isArray(messages)) return messages.map(withContent);
  return isRecord(messages) && messages['type'] === 'remove'
    ? { content: '', ...messages }
    : messages;
}

/** A value that is written to it is added to what it has. */
function hasReducer(channel: unknown): channel is object {
  return ['BinaryOperatorAggregate', 'DeltaChannel'].includes(kindOf(channel));
}

/** What LangGraph forgets with every step, written anew: it is what runs next. */
function keptWrites(
  graph: Graph,
  { checkpoint }: CheckpointTuple,
  values: Record<string, unknown>,
): ChannelWrite[] {
  return Object.entries(checkpoint.channel_values).flatMap(([name, value]): ChannelWrite[] => {
    if (name in values) return [];
    const channel = graph.channels[name];
    if (kindOf(channel) === 'EphemeralValue') return [[name, value]];
    const isForgetful = isRecord(channel) && channel['accumulate'] === false;
    if (kindOf(channel) !== 'Topic' || !isForgetful || !Array.isArray(value)) return [];
    return value.map((item: unknown): ChannelWrite => [name, item]);
  });
}

/** The writers of a node; given no values they only follow its edges. */
function edgesOf(graph: Graph, node: string): unknown[] {
  if (node === endNode) return [];
  const found = graph.nodes[node] as { getWriters?: () => unknown[] } | undefined; // a PregelNode
  if (found === undefined) {
    throw new GuestError('invalid_request', `The agent has no node '${node}'.`);
  }
  return found.getWriters?.() ?? [];
}

function nodeToWriteAs(graph: Graph): string {
  return startNode in graph.nodes ? startNode : (Object.keys(graph.nodes)[0] ?? startNode);
}

/** The graph with these channels, and with a node whose writers make just these writes. */
function writtenBy(
  graph: Graph,
  { channels, writes, edges }: { channels: object; writes: ChannelWrite[]; edges: unknown[] },
): Graph {
  const name = nodeToWriteAs(graph);
  const sender = {
    lc_runnable: true, // what LangChain knows a runnable by
    invoke(input: unknown, config: CheckpointConfig): unknown {
      const send = config.configurable?.[sendKey] as (items: ChannelWrite[]) => void; // LangGraph's contract
      send(writes);
      return input;
    },
  };
  const getWriters = (): unknown[] => [sender, ...edges];
  const node: unknown = Object.create(graph.nodes[name] as object, {
    getWriters: { value: getWriters },
  });
  return Object.create(graph, {
    nodes: { value: { ...graph.nodes, [name]: node } },
    channels: { value: { ...graph.channels, ...channels } },
  }) as Graph; // its prototype is one
}

function kindOf(channel: unknown): string {
  const name =
    typeof channel === 'object' && channel !== null ? Reflect.get(channel, 'lc_graph_name') : '';
  return typeof name === 'string' ? name : '';
}
