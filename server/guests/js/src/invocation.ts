import type { Agent } from './agent-registry.ts';
import { callsHandler } from './calls.ts';
import { graphForRun, type RunGraph } from './graph.ts';
import { configOf } from './checkpoint-codec.ts';
import { openContext } from './graph-context.ts';
import { describeError, GuestError } from './guest-error.ts';
import type { HostChannel } from './host-channel.ts';
import { createStore, type StoreClient } from './host-store.ts';
import { openRunEvents, type InvokeCall, type RunEvents } from './invoke-events.ts';
import { checkpointMetadata, runConfig } from './run-config.ts';
import { openRunOutput, type RunOutput } from './run-output.ts';
import { openRunWriter, type RunWriter } from './run-writer.ts';
import { runStart } from './run-start.ts';
import { streamWithEvents } from './langchain-events.ts';
import { createSaver } from './saver.ts';
import { subGraphCalls } from './sub-graph-calls.ts';
import { traceHandler } from './trace.ts';
import type { Chunk, End, InvokeRequest } from './wire.ts';

export interface InvocationContext {
  agent: Agent | undefined;
  channel: HostChannel;
  storeClient: StoreClient;
  maxMessageBytes: number;
  /** Aborted when the run is cancelled. */
  controller: AbortController;
}

/** What LangGraph streams by itself. */
const graphModes = new Set([
  'values',
  'updates',
  'messages',
  'custom',
  'tasks',
  'checkpoints',
  'debug',
]);
const durabilities = new Set(['async', 'sync', 'exit']);

/** Runs the agent for one Invoke call, and sends its end in every case. */
export async function runInvocation(call: InvokeCall, context: InvocationContext): Promise<void> {
  const request = call.request;
  const events = openRunEvents(call);
  let nameOfTask = (_id: string): string => '';
  const writer = openRunWriter(context.channel, {
    token: request.token,
    isSync: request.durability === 'sync',
    maxMessageBytes: context.maxMessageBytes,
    nameOfTask: (id) => nameOfTask(id),
  });
  const onGraph = (graph: RunGraph): void => {
    nameOfTask = graph.nameOfTask;
  };
  let end: Omit<End, 'lastSeq'>;
  try {
    end = await runGraph(request, context, { writer, events, onGraph });
  } catch (error) {
    end = { ...emptyEnd, status: 'error', error: describeError(error) };
  }
  const { failure, lastSeq } = writer;
  // A write that was refused is why the run ends, even if the agent handled the failure.
  if (failure !== undefined) end = { ...emptyEnd, status: 'error', error: describeError(failure) };
  writer.close();
  events.end({ ...end, lastSeq });
}

const emptyEnd = { outputJson: '', interruptsJson: '', error: null };

async function runGraph(
  request: InvokeRequest,
  context: InvocationContext,
  run: { writer: RunWriter; events: RunEvents; onGraph: (graph: RunGraph) => void },
): Promise<Omit<End, 'lastSeq'>> {
  const { agent, controller } = context;
  if (agent === undefined) {
    throw new GuestError(
      'agent_not_found',
      `There is no agent "${request.agentId}" in this guest.`,
    );
  }
  if (agent.error !== undefined) return { ...emptyEnd, status: 'error', error: agent.error };
  const durability = request.durability === '' ? 'async' : request.durability;
  // LangGraph takes any text and then behaves as if it were async.
  if (!durabilities.has(durability)) {
    throw new GuestError(
      'invalid_request',
      `durability is async, sync or exit, not "${durability}".`,
    );
  }

  const runContext = openContext(request.contextJson, runConfig(request));
  const userGraph = await agent.graphFor(runContext.forFactory);
  const given = runContext.of(userGraph);
  const taskErrors = new Map<string, string>();
  const { saver, queued, forgetAnswer, touched } = createSaver(agent.library, {
    channel: context.channel,
    writer: run.writer,
    threadId: request.threadId,
    ...(request.headKnown ? { knownHead: request.head } : {}),
    isNewThread: request.headKnown && request.head === null && request.attempt <= 1,
    runMetadata: checkpointMetadata(given),
    stateChannels: new Set(userGraph.streamChannelsList),
    onTaskError: (taskId, text) => taskErrors.set(taskId, text),
    ...(request.attempt > 1 && { onLoad: subGraphCalls(request.runId) }),
  });
  const { input, config } = await runStart(request, given, {
    library: agent.library,
    forgetAnswer,
    touched,
    read: (checkpointId = '') =>
      saver.getTuple(configOf({ threadId: request.threadId, ns: '', checkpointId })),
  });
  const store = request.storeEnabled
    ? { store: createStore(agent.library, context.storeClient, request.token) }
    : {};
  const forRun = graphForRun(userGraph, { checkpointer: saver, ...store });
  const { graph, nodeOf } = forRun;
  run.onGraph(forRun);
  const output = openRunOutput({
    outputChannels: userGraph.outputChannels,
    wantedModes: new Set(request.streamModes),
    taskErrors,
    maxMessageBytes: context.maxMessageBytes,
  });
  try {
    const options = {
      ...config,
      // The output is made from the values, so these are always streamed to here.
      streamMode: [
        ...new Set([...request.streamModes.filter((mode) => graphModes.has(mode)), 'values']),
      ],
      subgraphs: request.streamSubgraphs,
      durability,
      signal: controller.signal,
      ...callbacks(request, run.events, controller.signal),
      ...interrupts(request),
    };
    const stream = request.streamModes.includes('events')
      ? streamWithEvents(graph, input, options, (event) => run.events.chunk(output.event(event)))
      : await graph.stream(input, options);
    await forward(stream, { request, output, events: run.events });
  } catch (error) {
    const isCancelled = controller.signal.aborted;
    controller.abort(); // when it is not the graph that failed, it must not continue
    await queued();
    if (isCancelled) return { ...emptyEnd, status: 'cancelled' };
    return { ...emptyEnd, status: 'error', error: describeError(error, nodeOf(error)) };
  }
  await queued();
  const { isInterrupted, outputJson, interruptsJson } = output.finish();
  const status = isInterrupted ? 'interrupted' : 'completed';
  return { ...emptyEnd, status, outputJson, interruptsJson };
}

async function forward(
  stream: AsyncIterable<unknown>,
  to: { request: InvokeRequest; output: RunOutput; events: RunEvents },
): Promise<void> {
  for await (const item of stream) {
    // The shape of LangGraph's stream with a list of modes, and with sub-graphs.
    const [namespace, mode, payload] = (
      to.request.streamSubgraphs ? item : [[], ...(item as [string, unknown])]
    ) as [string[], string, unknown];
    const chunk = to.output.take(namespace, mode, payload);
    if (chunk !== undefined) await to.events.chunk(chunk);
  }
}

/** What LangChain reports to, for the modes that LangGraph does not have. */
function callbacks(
  { streamModes, streamSubgraphs }: InvokeRequest,
  events: RunEvents,
  signal: AbortSignal,
): { callbacks?: object[] } {
  // Of bounded size and number: no task has to wait until there is room for them.
  const emit = (chunk: Chunk): void => void events.chunk(chunk);
  const handlers = [
    ...(streamModes.includes('calls') ? [callsHandler(emit, streamSubgraphs)] : []),
    ...(streamModes.includes('trace') ? [traceHandler(emit, signal)] : []),
  ];
  return handlers.length === 0 ? {} : { callbacks: handlers };
}

function interrupts(request: InvokeRequest): Record<string, unknown> {
  const { interruptBefore: before, interruptAfter: after } = request;
  return {
    ...(before.length === 0 ? {} : { interruptBefore: nodesOrAll(before) }),
    ...(after.length === 0 ? {} : { interruptAfter: nodesOrAll(after) }),
  };
}

function nodesOrAll(names: string[]): string[] | '*' {
  return names.includes('*') ? '*' : names;
}
