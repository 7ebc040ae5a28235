import type { Checkpoint } from '../../model/checkpoint/checkpoint.ts';
import type { AgentId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import type { RunError } from '../../model/run/run.ts';
import { checkpointMessage } from './checkpoint-wire.ts';
import type {
  DescribedAgent,
  DescribeOptions,
  GuestChunk,
  Invocation,
  InvocationEnd,
  StateRead,
  StateUpdate,
} from '../port.ts';
import type {
  DescribeRequestMessage,
  DescribeResponseMessage,
  EndMessage,
  ErrorMessage,
  InvokeEventsMessage,
  InvokeRequestMessage,
  ReadStatesRequestMessage,
  UpdateStateRequestMessage,
} from './proto-messages.ts';

/** The end of a run as its guest reports it, and the number of its last write. */
export interface GuestEnd {
  end: InvocationEnd;
  lastSeq: number;
}

/** The InvokeRequest of an invocation. `head` is the root namespace's head, so that the first load needs no call. */
export function invokeRequest(
  invocation: Invocation,
  token: string,
  { head, hasStore }: { head: Checkpoint | undefined; hasStore: boolean },
): InvokeRequestMessage {
  const message: InvokeRequestMessage = {
    token,
    thread_id: invocation.threadId,
    run_id: invocation.runUuid,
    attempt: invocation.attempt,
    agent_id: invocation.agentId,
    config_json: JSON.stringify(invocation.config),
    context_json: invocation.context,
    stream_modes: invocation.streamModes,
    stream_subgraphs: invocation.streamSubgraphs,
    interrupt_before: invocation.interruptBefore,
    interrupt_after: invocation.interruptAfter,
    durability: invocation.durability,
    head_known: true,
    store_enabled: hasStore,
  };
  if (head) message.head = checkpointMessage(invocation.threadId, head);
  const { start } = invocation;
  if (start.kind === 'input') message.input_json = start.json;
  else if (start.kind === 'command') message.command_json = start.json;
  else message.proceed = true;
  return message;
}

/** The UpdateStateRequest of an update. */
export function updateRequest(
  update: StateUpdate,
  token: string,
  head: Checkpoint | undefined,
): UpdateStateRequestMessage {
  return {
    token,
    thread_id: update.threadId,
    agent_id: update.agentId,
    values_json: update.values,
    config_json: JSON.stringify(update.config),
    as_node: update.asNode ?? '',
    head_known: true,
    ...(head && { head: checkpointMessage(update.threadId, head) }),
    plain: update.plain ?? false,
    supersteps_json: update.supersteps ?? '',
    factory_configurable_json: factoryConfigurable(update),
  };
}

function factoryConfigurable({ factoryConfigurable: given }: StateUpdate | StateRead): string {
  return given ? JSON.stringify(given) : '';
}

/** The ReadStatesRequest of a read. */
export function readStatesRequest(
  read: StateRead,
  token: string,
  head: Checkpoint | undefined,
): ReadStatesRequestMessage {
  const { history, filter } = read;
  return {
    token,
    thread_id: read.threadId,
    agent_id: read.agentId,
    config_json: JSON.stringify(read.config),
    subgraphs: read.subgraphs ?? false,
    history: history?.limit ?? 0,
    before_checkpoint_id: history?.beforeId ?? '',
    filter_json: filter ? JSON.stringify(filter) : '',
    head_known: true,
    ...(head && { head: checkpointMessage(read.threadId, head) }),
    factory_configurable_json: factoryConfigurable(read),
  };
}

/** Passes the chunks of a message to `onChunk`, in order, and returns the end if it is among the events. */
export function readEvents(
  message: InvokeEventsMessage,
  onChunk: (chunk: GuestChunk) => void,
): GuestEnd | undefined {
  for (const { chunk, end } of message.events) {
    if (chunk) {
      onChunk({
        mode: chunk.mode ?? '',
        ns: chunk.ns ?? '',
        data: jsonText(chunk.json || 'null'),
      });
    }
    if (end) return { end: readEnd(end), lastSeq: end.last_seq ?? 0 };
  }
  return undefined;
}

function readEnd(message: EndMessage): InvocationEnd {
  const output = jsonText(message.output_json || 'null');
  switch (message.status) {
    case 'completed':
      return { kind: 'completed', output };
    case 'interrupted':
      return { kind: 'interrupted', output, interrupts: jsonText(message.interrupts_json || '[]') };
    case 'error':
      return { kind: 'error', error: readError(message.error ?? {}) };
    case 'cancelled':
      return { kind: 'cancelled' };
    default:
      return { kind: 'infra', message: `The guest ended the run with an unknown status.` };
  }
}

/** Reads an Error of a guest. */
export function readError(message: ErrorMessage): RunError {
  const error: RunError = {
    code: message.code || 'agent_error',
    message: message.message ?? '',
  };
  if (message.type) error.type = message.type;
  if (message.node) error.node = message.node;
  if (message.traceback) error.traceback = message.traceback;
  return error;
}

/** An Error of a guest in one line. */
export function errorText({ type, message }: ErrorMessage): string {
  return [type, message].filter(Boolean).join(': ');
}

/** The DescribeRequest of one agent, or of all when none is named. */
export function describeRequest(
  agentId: AgentId | undefined,
  wanted: DescribeOptions,
): DescribeRequestMessage {
  return {
    agent_ids: agentId === undefined ? [] : [agentId],
    schemas: wanted.schemas ?? false,
    graph: wanted.graph ?? false,
    graph_depth: wanted.graphDepth ?? 0,
  };
}

/** Reads a DescribeResponse. */
export function readDescriptions(message: DescribeResponseMessage): DescribedAgent[] {
  return message.agents.map((agent) => {
    const agentId = (agent.agent_id ?? '') as AgentId; // the guest repeats the names that the host gave it
    const {
      input_schema_json: input,
      output_schema_json: output,
      state_schema_json: state,
      config_schema_json: config,
      context_schema_json: context,
      graph_json: graph,
    } = agent;
    return {
      agentId,
      ...(agent.error && { error: readError(agent.error) }),
      ...(input && { inputSchema: jsonText(input) }),
      ...(output && { outputSchema: jsonText(output) }),
      ...(state && { stateSchema: jsonText(state) }),
      ...(config && { configSchema: jsonText(config) }),
      ...(context && { contextSchema: jsonText(context) }),
      ...(graph && { graph: jsonText(graph) }),
    };
  });
}
