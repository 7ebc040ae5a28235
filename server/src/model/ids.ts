/*
 * The model: the rules of threads, runs, checkpoints and limits as pure functions, with the data that crosses borders.
 * It knows neither Node nor HTTP nor Temporal. Here: ids.
 */
/** `thread_id` of the wire: client-supplied or generated (UUIDv7). */
export type ThreadId = string & { readonly threadId: true };
/** The bare uuid of a run. On the wire `run_id` is `{thread_id}_{run_uuid}`. */
export type RunUuid = string & { readonly runUuid: true };
/** The `run_id` of the wire: processes key their data about runs by it, as two threads may have runs with one uuid. */
export type RunId = string & { readonly runId: true };
/** An agent's name in the manifest. */
export type AgentId = string & { readonly agentId: true };
/** LangGraph's id of a checkpoint: a UUIDv6, whose order is that of time. */
export type CheckpointId = string & { readonly checkpointId: true };
/** The sub-graph of a checkpoint, `node:task|node:task`; "" is the root. Nodes may have any name. */
export type CheckpointNs = string & { readonly checkpointNs: true };
/** LangGraph's id of a task. */
export type TaskId = string & { readonly taskId: true };
/** LangGraph's version of a channel: a number, or numbers with points. */
export type ChannelVersion = string & { readonly channelVersion: true };
/** SHA-256 of a content, 64 hex digits. */
export type ContentHash = string & { readonly contentHash: true };

const THREAD_ID = /^[A-Za-z0-9._:~-]{1,200}$/;
const LANGGRAPH_ID = /^[A-Za-z0-9._:~+-]{1,200}$/;
const CONTENT_HASH = /^[0-9a-f]{64}$/;

/** Characters of a namespace: some levels of nodes with long names. */
const NAMESPACE_LENGTH = 4_000;
const AGENT_ID_LENGTH = 1_000;
/** An unpaired surrogate: it cannot be encoded in UTF-8 and in URLs. */
const HALF_CHARACTER = /\p{Cs}/u;
const CONTROL = /\p{Cc}/u;
const RUN_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parses a thread id; undefined when it is invalid (decisions: "ids"). */
export function parseThreadId(text: string): ThreadId | undefined {
  if (!THREAD_ID.test(text) || text === '.' || text === '..') return undefined;
  return text as ThreadId; // validated just above
}

/** Parses the bare uuid of a run; undefined when it is invalid. */
export function parseRunUuid(text: string): RunUuid | undefined {
  return RUN_UUID.test(text) ? (text as RunUuid) : undefined; // validated just above
}

/** Splits a composite run id at its last underscore; undefined when it is invalid. */
export function parseRunId(text: string): { threadId: ThreadId; runUuid: RunUuid } | undefined {
  const cut = text.lastIndexOf('_');
  if (cut < 0) return undefined;
  const threadId = parseThreadId(text.slice(0, cut));
  const runUuid = parseRunUuid(text.slice(cut + 1));
  return threadId && runUuid ? { threadId, runUuid } : undefined;
}

/** The composite `run_id` of the wire. */
export function compositeRunId(threadId: ThreadId, runUuid: RunUuid): RunId {
  return `${threadId}_${runUuid}` as RunId; // a thread id has no underscore, so it can be split again
}

/** Parses an agent's name, which may have any characters; undefined when it is invalid. */
export function parseAgentId(text: string): AgentId | undefined {
  const isOne = text.length <= AGENT_ID_LENGTH && !HALF_CHARACTER.test(text);
  return isOne ? (text as AgentId) : undefined; // validated just above
}

/** Parses a checkpoint's id; undefined when it is invalid. */
export function parseCheckpointId(text: string): CheckpointId | undefined {
  return LANGGRAPH_ID.test(text) ? (text as CheckpointId) : undefined; // validated just above
}

/** Parses a task's id; undefined when it is invalid. */
export function parseTaskId(text: string): TaskId | undefined {
  return LANGGRAPH_ID.test(text) ? (text as TaskId) : undefined; // likewise
}

/** Parses a channel's version; undefined when it is invalid. */
export function parseChannelVersion(text: string): ChannelVersion | undefined {
  return LANGGRAPH_ID.test(text) ? (text as ChannelVersion) : undefined; // likewise
}

/** Parses a namespace; undefined when it is invalid. */
export function parseCheckpointNs(text: string): CheckpointNs | undefined {
  const isOne = text.length <= NAMESPACE_LENGTH && !CONTROL.test(text);
  return isOne ? (text as CheckpointNs) : undefined; // likewise
}

/** Parses the hash of a content; undefined when it is invalid. */
export function parseContentHash(text: string): ContentHash | undefined {
  return CONTENT_HASH.test(text) ? (text as ContentHash) : undefined; // likewise
}
