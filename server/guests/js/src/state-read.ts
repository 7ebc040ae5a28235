import type { Agent } from './agent-registry.ts';
import { visibleInterrupt } from './checkpoint-codec.ts';
import { graphForRun, type Graph, type CheckpointConfig, type StateSnapshot } from './graph.ts';
import { describeError, GuestError } from './guest-error.ts';
import type { HostChannel } from './host-channel.ts';
import { projectJson } from './json-projection.ts';
import { checkpointMetadata, factoryConfig, parseObject, threadConfig } from './run-config.ts';
import { openRunWriter, type RunWriter } from './run-writer.ts';
import { createSaver } from './saver.ts';
import type { ReadStatesRequest, ReadStatesResponse } from './wire.ts';

export interface StateReadContext {
  agent: Agent | undefined;
  channel: HostChannel;
  maxMessageBytes: number;
}

/** Reads states with the nodes that run next and their tasks. Never rejects: a failure is in the result. */
export async function runStateRead(
  request: ReadStatesRequest,
  context: StateReadContext,
): Promise<ReadStatesResponse> {
  const { channel, maxMessageBytes } = context;
  const writer = openRunWriter(channel, { token: request.token, isSync: false, maxMessageBytes });
  try {
    return { ...(await readStates(request, context, writer)), error: null };
  } catch (error) {
    return { statesJson: [], cut: false, error: describeError(writer.failure ?? error) };
  } finally {
    writer.close();
  }
}

async function readStates(
  request: ReadStatesRequest,
  { agent, channel, maxMessageBytes }: StateReadContext,
  writer: RunWriter,
): Promise<Omit<ReadStatesResponse, 'error'>> {
  if (agent === undefined) {
    const message = `There is no agent "${request.agentId}" in this guest.`;
    throw new GuestError('agent_not_found', message);
  }
  if (agent.error !== undefined) throw new GuestError(agent.error.code, agent.error.message);
  const config = threadConfig(request);
  const userGraph = await agent.graphFor(factoryConfig(config, request));
  const { saver } = createSaver(agent.library, {
    channel,
    writer,
    threadId: request.threadId,
    ...(request.headKnown ? { knownHead: request.head } : {}),
    isNewThread: request.headKnown && request.head === null,
    runMetadata: checkpointMetadata(config),
    stateChannels: new Set(userGraph.streamChannelsList),
  });
  const { graph } = graphForRun(userGraph, { checkpointer: saver });
  const statesJson: string[] = [];
  let size = 0;
  for await (const snapshot of snapshots(graph, config, request)) {
    const json = projectJson(shownState(snapshot));
    size += Buffer.byteLength(json);
    if (size > maxMessageBytes) {
      if (statesJson.length > 0) return { statesJson, cut: true };
      const message = `The state has ${size} bytes of JSON; the limit is ${maxMessageBytes} bytes.`;
      throw new GuestError('state_too_large', message);
    }
    statesJson.push(json);
  }
  return { statesJson, cut: false };
}

async function* snapshots(
  graph: Graph,
  config: CheckpointConfig,
  request: ReadStatesRequest,
): AsyncGenerator<StateSnapshot> {
  if (request.history === 0) {
    yield await graph.getState(config, { subgraphs: request.subgraphs });
    return;
  }
  const { beforeCheckpointId: beforeId, filterJson } = request;
  yield* graph.getStateHistory(config, {
    limit: request.history,
    ...(beforeId === '' ? {} : { before: { configurable: { checkpoint_id: beforeId } } }),
    ...(filterJson === '' ? {} : { filter: parseObject(filterJson) }),
  });
}

/** A state in the form of LangGraph's own server. */
function shownState(snapshot: StateSnapshot): Record<string, unknown> {
  const { values, tasks, config, parentConfig } = snapshot;
  return {
    values,
    next: snapshot.next ?? [],
    tasks: tasks.map(shownTask),
    metadata: snapshot.metadata ?? null,
    created_at: snapshot.createdAt ?? null,
    checkpoint: shownCheckpoint(config),
    parent_checkpoint: shownCheckpoint(parentConfig),
    interrupts: tasks.flatMap((task) => (task.interrupts ?? []).map(visibleInterrupt)),
  };
}

function shownTask(task: StateSnapshot['tasks'][number]): Record<string, unknown> {
  const { id, name, path, error, interrupts = [], state, result } = task;
  const isSnapshot = isObject(state) && 'values' in state && 'tasks' in state;
  return {
    id,
    name,
    path: path ?? [],
    error: shownError(error),
    interrupts: interrupts.map(visibleInterrupt),
    checkpoint: isSnapshot ? null : shownCheckpoint(state),
    // Both kinds of `state` are LangGraph's: a snapshot has values and tasks, a config has not.
    state: isSnapshot ? shownNested(state as unknown as StateSnapshot) : null,
    result: result ?? null,
  };
}

/** Within a state LangGraph's server for JavaScript has no list of all questions. */
function shownNested(snapshot: StateSnapshot): Record<string, unknown> {
  const { interrupts: _, ...shown } = shownState(snapshot);
  return shown;
}

function shownError(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  if (isObject(error) && typeof error['message'] === 'string') return error['message'];
  return typeof error === 'string' ? error : projectJson(error);
}

function shownCheckpoint(config: unknown): Record<string, unknown> | null {
  if (!isObject(config) || !isObject(config['configurable'])) return null;
  const names = ['thread_id', 'checkpoint_ns', 'checkpoint_id', 'checkpoint_map'];
  const configurable = config['configurable'];
  const known = names.filter((name) => configurable[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, configurable[name]]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
