/*
 * What goes out: from the models of `threads` to the members of the wire, as JSON, streams and errors.
 */
import type { AgentGraphWire, AgentSchemasWire, AgentWire } from '../../contract/agent.ts';
import type {
  RunErrorWire,
  RunLogsWire,
  RunSandboxWire,
  RunStartWire,
  RunWire,
} from '../../contract/run.ts';
import type {
  CheckpointRefWire,
  CheckpointStateWire,
  HistoryEntryWire,
  StateWire,
  UpdatedStateWire,
} from '../../contract/state.ts';
import type { StoreItemWire } from '../../contract/store.ts';
import type { ThreadWire, ThreadWithValuesWire } from '../../contract/thread.ts';
import { compositeRunId, type ThreadId } from '../../model/ids.ts';
import { type JsonText, jsonText } from '../../model/json.ts';
import type { RunError, RunSandbox, RunView } from '../../model/run/run.ts';
import { valuesPieces, valuesText, wholeValues } from '../../model/checkpoint/state-values.ts';
import type {
  CheckpointRef,
  HistoryEntry,
  StateSnapshot,
  ThreadOrigin,
  ThreadView,
} from '../../model/thread/thread.ts';
import type { StoreItem } from '../../store/port.ts';
import type { AgentSchemas } from '../../threads/agent-service.ts';
import type { ServedAgent } from '../../threads/ports.ts';
import type { RunLogs } from '../../threads/run-service.ts';
import { isoTime, ZERO_TIME } from './iso-time.ts';
import { spliced, streamedJson, streamedJsonList } from './json-writer.ts';
import { objectOf, scanObject } from './raw-members.ts';
import { stateMessages } from './state-messages.ts';

type OriginWire = NonNullable<ThreadWire['copied_from']>;

/** A thread on the wire, without values. */
export function presentThread(view: ThreadView): ThreadWire {
  const title = view.metadata['title'] ?? view.title;
  return {
    thread_id: view.threadId,
    status: view.status,
    created_at: isoTime(view.createdAt),
    updated_at: isoTime(view.updatedAt),
    metadata: view.metadata,
    ...(title !== undefined && { title }),
    ...(view.lastActivityAt !== undefined && { last_activity_at: isoTime(view.lastActivityAt) }),
    ...(view.agentId !== undefined && { agent_id: view.agentId }),
    ...(view.origin && { copied_from: presentOrigin(view.origin) }),
  };
}

function presentOrigin({ threadId, checkpointId, step }: ThreadOrigin): OriginWire {
  return {
    thread_id: threadId,
    ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
    ...(step !== undefined && { step }),
  };
}

/** A thread on the wire, with its state values. */
export function presentThreadWithValues(
  view: ThreadView & { state: StateSnapshot },
): ThreadWithValuesWire {
  return {
    ...presentThread(view),
    values: streamedJson(valuesPieces(view.state.values)),
    ...presentInterrupts(view.state),
  };
}

/** The response of PATCH /threads. Spec: created_at is not populated and serialises as the zero time. */
export function presentPatchedThread(view: ThreadView): ThreadWire {
  return { ...presentThread(view), created_at: ZERO_TIME };
}

/** A run on the wire. */
export function presentRun(view: RunView): RunWire {
  return {
    run_id: compositeRunId(view.threadId, view.runUuid),
    thread_id: view.threadId,
    status: view.status,
    created_at: isoTime(view.createdAt),
    updated_at: isoTime(view.updatedAt),
    // A run that stops before its first node has no state: LangGraph's output is then null instead of an object.
    ...(view.output === undefined || view.output === 'null'
      ? {}
      : { output: spliced(view.output) }),
    ...(view.context === undefined ? {} : { context: spliced(view.context) }),
    ...(view.attempt !== undefined && view.attempt > 1 ? { attempt: view.attempt } : {}),
    ...(view.lastFailure === undefined ? {} : { last_failure: view.lastFailure }),
    ...(view.error === undefined ? {} : { error: presentRunError(view.error) }),
    metadata: view.metadata,
    agent_id: view.agentId,
    ...(view.agentVersion === undefined ? {} : { agent_version: view.agentVersion }),
    max_attempts: view.maxAttempts,
    ...(view.queuePosition === undefined ? {} : { queue_position: view.queuePosition }),
    ...(view.sandbox === undefined ? {} : { sandbox: presentSandbox(view.sandbox) }),
  };
}

function presentSandbox({ kind, isShared, limits, used }: RunSandbox): RunSandboxWire {
  const { memoryBytes, cpuSeconds } = used;
  return {
    kind,
    shared: isShared,
    ...(limits && {
      limits: {
        ...(limits.cpus !== undefined && { cpus: limits.cpus }),
        ...(limits.memoryBytes !== undefined && { memory_bytes: limits.memoryBytes }),
        pids: limits.pids,
        open_files: limits.openFiles,
        tmp_bytes: limits.tmpBytes,
      },
    }),
    used: {
      ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
      ...(cpuSeconds !== undefined && { cpu_seconds: cpuSeconds }),
    },
  };
}

/** A run's output on the wire. */
export function presentRunLogs({ lines, dropped }: RunLogs): RunLogsWire {
  return {
    lines: lines.map(({ id, at, stream, text, attempt }) => {
      return { id, ts: isoTime(at), stream, text, attempt };
    }),
    dropped,
  };
}

/** Data of the `start` event. */
export function presentRunStart(view: RunView): RunStartWire {
  return {
    run_id: compositeRunId(view.threadId, view.runUuid),
    thread_id: view.threadId,
    status: view.status,
  };
}

/** The head state on the wire: no `checkpoint` (spec: State). */
export async function presentHeadState(snapshot: StateSnapshot): Promise<StateWire> {
  const messages = await stateMessages(snapshot.values);
  return {
    thread_id: snapshot.threadId,
    values: streamedJson(valuesPieces(snapshot.values)),
    ...(messages === undefined ? {} : { messages: streamedJsonList(messages) }),
    ...presentInterrupts(snapshot),
  };
}

/** The state at a checkpoint: `checkpoint` is always present (spec: State). */
export async function presentCheckpointState(
  snapshot: StateSnapshot & { checkpoint: CheckpointRef },
): Promise<CheckpointStateWire> {
  const { ns, id } = snapshot.checkpoint;
  return {
    ...(await presentHeadState(snapshot)),
    checkpoint: checkpointRef(snapshot.threadId, ns, id),
  };
}

/** The response of POST state. Spec: `messages` is not included. */
export function presentUpdatedState(threadId: ThreadId, values: JsonText): UpdatedStateWire {
  const { members } = scanObject(valuesText(wholeValues(values)));
  members.delete('messages');
  return { thread_id: threadId, values: spliced(objectOf(members)) };
}

/** A history on the wire, entry by entry. */
export function presentHistory(
  threadId: ThreadId,
  entries: AsyncIterable<HistoryEntry>,
): HistoryEntryWire[] {
  return streamedJsonList(mapped(entries, (entry) => presentHistoryEntry(threadId, entry)));
}

/** A list of runs on the wire, run by run. */
export function presentRuns(runs: AsyncIterable<RunView>): RunWire[] {
  return streamedJsonList(mapped(runs, presentRun));
}

async function* mapped<T, U>(items: AsyncIterable<T>, present: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield present(item);
}

function presentHistoryEntry(threadId: ThreadId, entry: HistoryEntry): HistoryEntryWire {
  const { ns, id, parentId } = entry;
  return {
    checkpoint: checkpointRef(threadId, ns, id),
    values: streamedJson(valuesPieces(entry.values)),
    metadata: spliced(entry.metadata),
    created_at: isoTime(Date.parse(entry.ts)),
    ...(parentId === undefined ? {} : { parent_checkpoint: checkpointRef(threadId, ns, parentId) }),
    ...(entry.nextNodes === undefined ? {} : { next_nodes: [...entry.nextNodes] }),
    ...(entry.error === undefined ? {} : { error: entry.error }),
  };
}

/** An agent on the wire. */
export function presentAgent(agent: ServedAgent): AgentWire {
  const { description, metadata, error } = agent;
  return {
    agent_id: agent.agentId,
    name: agent.name,
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    // Spec: Agent. Currently always true, not derived per agent.
    capabilities: { supports_interrupt: true, supports_streaming: true },
    language: agent.language,
    ...(error === undefined ? {} : { error: presentAgentError(error) }),
  };
}

/** An agent's schemas on the wire. */
export function presentAgentSchemas(schemas: AgentSchemas): AgentSchemasWire {
  const { agentId, name, description } = schemas.agent;
  return {
    agent_id: agentId,
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: spliced(schemas.input),
    output_schema: spliced(schemas.output),
    state_schema: spliced(schemas.state),
    config_schema: spliced(schemas.config),
    ...(schemas.context === undefined ? {} : { context_schema: spliced(schemas.context) }),
  };
}

/** An agent's graph on the wire. */
export function presentAgentGraph({ agentId }: ServedAgent, graph: JsonText): AgentGraphWire {
  const { members } = scanObject(graph);
  const list = (name: string): JsonText => members.get(name) ?? jsonText('[]');
  return {
    agent_id: agentId,
    nodes: spliced<AgentGraphWire['nodes']>(list('nodes')),
    edges: spliced<AgentGraphWire['edges']>(list('edges')),
  };
}

/** An item of the store on the wire; its value and metadata are unchanged. */
export function presentStoreItem(item: StoreItem): StoreItemWire {
  return {
    namespace: [...item.namespace],
    key: item.key,
    value: spliced(item.value),
    metadata: spliced(item.metadata),
    created_at: isoTime(item.createdAt),
    updated_at: isoTime(item.updatedAt),
    ...(item.score !== undefined && { score: item.score }),
  };
}

function presentAgentError(
  error: NonNullable<ServedAgent['error']>,
): NonNullable<AgentWire['error']> {
  const { code, message, traceback } = error;
  return { code, message, ...(traceback === undefined ? {} : { traceback }) };
}

/** Why a run failed, on the wire. */
export function presentRunError(error: RunError): RunErrorWire {
  const { code, message, type, node, traceback } = error;
  return {
    code,
    message,
    ...(type === undefined ? {} : { type }),
    ...(node === undefined ? {} : { node }),
    ...(traceback === undefined ? {} : { traceback }),
  };
}

function presentInterrupts({ interrupts }: StateSnapshot): Pick<StateWire, 'interrupts'> {
  if (interrupts.length === 0) return {};
  return { interrupts: interrupts.map(({ id, value }) => ({ id, value })) };
}

function checkpointRef(threadId: ThreadId, ns: string, id: string): CheckpointRefWire {
  return { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id };
}
