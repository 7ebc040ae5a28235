import type { Agent } from './agent-registry.ts';
import { type CheckpointConfig, graphForRun, checkpointConfigOf, type Graph } from './graph.ts';
import { describeError, GuestError } from './guest-error.ts';
import type { HostChannel } from './host-channel.ts';
import { projectJson } from './json-projection.ts';
import { checkpointMetadata, factoryConfig, threadConfig } from './run-config.ts';
import { openRunWriter, type RunWriter } from './run-writer.ts';
import { createSaver } from './saver.ts';
import { setState } from './set-state.ts';
import { rememberCheckpoints } from './update-saver.ts';
import type { UpdateStateRequest, UpdateStateResponse } from './wire.ts';

export interface StateUpdateContext {
  agent: Agent | undefined;
  channel: HostChannel;
  maxMessageBytes: number;
}

/** Writes a checkpoint with other values. Never rejects: a failure is in the result. */
export async function runStateUpdate(
  request: UpdateStateRequest,
  context: StateUpdateContext,
): Promise<UpdateStateResponse> {
  const { channel, maxMessageBytes } = context;
  const writer = openRunWriter(channel, { token: request.token, isSync: false, maxMessageBytes });
  let result: Omit<UpdateStateResponse, 'lastSeq'>;
  try {
    result = { ...(await updateState(request, context, writer)), error: null };
  } catch (error) {
    // A refused write explains every failure after it.
    result = { valuesJson: '', hasNext: false, error: describeError(writer.failure ?? error) };
  }
  const { lastSeq } = writer;
  writer.close();
  return { ...result, lastSeq };
}

async function updateState(
  request: UpdateStateRequest,
  { agent, channel, maxMessageBytes }: StateUpdateContext,
  writer: RunWriter,
): Promise<StateAfter> {
  if (agent === undefined) {
    const message = `There is no agent "${request.agentId}" in this guest.`;
    throw new GuestError('agent_not_found', message);
  }
  if (agent.error !== undefined) throw new GuestError(agent.error.code, agent.error.message);
  const config = threadConfig(request);
  const values: unknown = JSON.parse(request.valuesJson);
  const userGraph = await agent.graphFor(factoryConfig(config, request));
  const { saver, queued } = createSaver(agent.library, {
    channel,
    writer,
    threadId: request.threadId,
    ...(request.headKnown ? { knownHead: request.head } : {}),
    isNewThread: request.headKnown && request.head === null,
    runMetadata: checkpointMetadata(config),
    stateChannels: new Set(userGraph.streamChannelsList),
  });
  const updateSaver = rememberCheckpoints(saver);
  const { graph } = graphForRun(userGraph, { checkpointer: updateSaver.saver });
  const { plain, asNode, superstepsJson } = request;
  let written: CheckpointConfig;
  if (superstepsJson !== '')
    written = await graph.bulkUpdateState(config, supersteps(superstepsJson));
  else if (plain)
    written = await graph.updateState(config, values, asNode === '' ? undefined : asNode);
  else written = await setState(graph, updateSaver, { config, values, asNode }, agent.library);
  await queued();
  if (writer.failure !== undefined) throw writer.failure;
  return stateAfter(graph, checkpointConfigOf(written), maxMessageBytes);
}

interface Update {
  values?: unknown;
  as_node?: string | null;
}

function supersteps(json: string): { updates: { values?: unknown; asNode?: string }[] }[] {
  const steps = JSON.parse(json) as Update[][]; // checked by the service
  const updates = (step: Update[]) =>
    step.map(({ values, as_node: asNode }) => ({ values, ...(asNode ? { asNode } : {}) }));
  return steps.map((step) => ({ updates: updates(step) }));
}

type StateAfter = Pick<UpdateStateResponse, 'valuesJson' | 'hasNext'>;

async function stateAfter(graph: Graph, config: object, limit: number): Promise<StateAfter> {
  const { values, next = [] } = await graph.getState(config);
  const valuesJson = projectJson(values);
  const bytes = Buffer.byteLength(valuesJson);
  if (bytes <= limit) return { valuesJson, hasNext: next.length > 0 };
  const message = `The state has ${bytes} bytes of JSON; the limit is ${limit} bytes.`;
  throw new GuestError('state_too_large', message);
}
