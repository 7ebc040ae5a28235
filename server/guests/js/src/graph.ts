import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';

/** What we use of a compiled graph (LangGraph's Pregel), from any copy of LangGraph. */
export interface Graph {
  lg_is_pregel: true;
  name?: string;
  nodes: Record<string, unknown>;
  channels: Record<string, unknown>;
  outputChannels: string | string[];
  streamChannelsList: string[];
  checkpointer?: unknown;
  updateState(config: unknown, values: unknown, asNode?: string): Promise<CheckpointConfig>;
  bulkUpdateState(
    config: unknown,
    supersteps: { updates: { values?: unknown; asNode?: string }[] }[],
  ): Promise<CheckpointConfig>;
  getState(config: unknown, options?: { subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(
    config: unknown,
    options: { limit: number; before?: CheckpointConfig; filter?: Record<string, unknown> },
  ): AsyncIterable<StateSnapshot>;
  getGraphAsync(config: { xray?: number }): Promise<{ toJSON(): unknown }>;
  getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<[string, Graph]>;
  stream(input: unknown, options: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, options: Record<string, unknown>): AsyncIterable<LangChainEvent>;
}

/** What we use of LangChain's event of something that runs. */
export interface LangChainEvent {
  event: string;
  run_id: string;
  tags?: string[];
  data: { chunk?: unknown };
}

/** A config that names a checkpoint. */
export interface CheckpointConfig {
  configurable?: Record<string, unknown>;
}

/** Only what names a checkpoint. */
export function checkpointConfigOf({ configurable = {} }: CheckpointConfig): {
  configurable: { thread_id: string; checkpoint_ns: string; checkpoint_id?: string };
} {
  const { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } = configurable;
  return {
    configurable: {
      thread_id: String(threadId),
      checkpoint_ns: typeof ns === 'string' ? ns : '',
      ...(typeof id === 'string' && id !== '' ? { checkpoint_id: id } : {}),
    },
  };
}

/** What we use of LangGraph's snapshot of a checkpoint. */
export interface StateSnapshot {
  values: unknown;
  next?: string[];
  config?: CheckpointConfig;
  parentConfig?: CheckpointConfig;
  metadata?: unknown;
  createdAt?: string;
  tasks: {
    id: string;
    name: string;
    path?: unknown;
    state?: unknown;
    error?: unknown;
    interrupts?: unknown[];
    result?: unknown;
  }[];
}

export type GraphFactory = (config: Record<string, unknown>) => unknown;

/** The exported value's graph: compiled if it is not, taken out of a prebuilt agent. Undefined when there is none. */
export function asGraph(value: unknown): Graph | undefined {
  if (!isObject(value)) return undefined;
  if (isGraph(value)) return value;
  // langchain's createAgent wraps its graph.
  if ('graph' in value && isObject(value['graph']) && isGraph(value['graph']))
    return value['graph'];
  const compile = value['compile'];
  if (typeof compile !== 'function') return undefined;
  const compiled: unknown = compile.call(value);
  return isObject(compiled) && isGraph(compiled) ? compiled : undefined;
}

/** The loop of a run, as far as we look into it: which task has which name. */
interface PregelLoop {
  tasks?: Record<string, { name?: unknown } | undefined>;
}

export interface RunGraph {
  graph: Graph;
  /** The name of the root graph's node that a thrown error came from; "" when it is not known. */
  nodeOf: (error: unknown) => string;
  /** The name of the root graph's task with this id; "" when it is not known. */
  nameOfTask: (id: string) => string;
}

/**
 * The graph with a checkpointer and, when there is one, a store, for one run. It is a new object in front of the user's, which stays as it is:
 * many runs share it, each with its own saver.
 */
export function graphForRun(
  graph: Graph,
  { checkpointer, store }: { checkpointer: BaseCheckpointSaver<string>; store?: BaseStore },
): RunGraph {
  let loop: PregelLoop | undefined;
  const runLoop = (graph as { _runLoop?: unknown })._runLoop; // internal, so only used when it exists
  const own: PropertyDescriptorMap = {
    checkpointer: { value: checkpointer, writable: true, enumerable: true, configurable: true },
  };
  if (store !== undefined) {
    own['store'] = { value: store, writable: true, enumerable: true, configurable: true };
  }
  if (typeof runLoop === 'function') {
    own['_runLoop'] = {
      value(this: unknown, params: { loop?: PregelLoop }): unknown {
        loop = params.loop;
        return runLoop.call(this, params);
      },
    };
  }
  const nameOfTask = (id: string): string => {
    const name = loop?.tasks?.[id]?.name;
    return typeof name === 'string' ? name : '';
  };
  return {
    graph: Object.create(graph, own) as Graph, // its prototype is one
    nodeOf: (error) => {
      const task = isObject(error) ? error['pregelTaskId'] : undefined; // set by LangGraph
      return typeof task === 'string' ? nameOfTask(task) : '';
    },
    nameOfTask,
  };
}

function isGraph(value: Record<string, unknown>): value is Record<string, unknown> & Graph {
  return value['lg_is_pregel'] === true && typeof value['stream'] === 'function';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
