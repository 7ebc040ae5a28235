/** `thread_id` of the wire: client-supplied or generated (UUIDv7). */
export type ThreadId = string & { readonly threadId: true };
/** The bare uuid of a run. On the wire `run_id` is `{thread_id}_{run_uuid}`. */
export type RunUuid = string & { readonly runUuid: true };
/** An agent's name in the manifest. */
export type AgentId = string & { readonly agentId: true };

const THREAD_ID = /^[A-Za-z0-9._:~-]{1,200}$/;
const RUN_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Parses a thread id; undefined when it is none (decisions: "ids"). */
export function parseThreadId(text: string): ThreadId | undefined {
  if (!THREAD_ID.test(text) || text === '.' || text === '..') return undefined;
  return text as ThreadId; // validated just above
}

/** Parses the bare uuid of a run; undefined when it is none. */
export function parseRunUuid(text: string): RunUuid | undefined {
  return RUN_UUID.test(text) ? (text as RunUuid) : undefined; // validated just above
}

/** Splits a composite run id at its last underscore; undefined when it is none. */
export function parseRunId(text: string): { threadId: ThreadId; runUuid: RunUuid } | undefined {
  const cut = text.lastIndexOf('_');
  if (cut < 0) return undefined;
  const threadId = parseThreadId(text.slice(0, cut));
  const runUuid = parseRunUuid(text.slice(cut + 1));
  return threadId && runUuid ? { threadId, runUuid } : undefined;
}

/** The composite `run_id` of the wire. */
export function compositeRunId(threadId: ThreadId, runUuid: RunUuid): string {
  return `${threadId}_${runUuid}`;
}
