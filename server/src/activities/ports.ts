import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import type { AttemptInput } from '../model/thread/thread-wire.ts';

/** Why an invocation is asked to stop. */
export type StopReason = 'cancel' | 'thread_deleted' | 'shutdown' | 'superseded';

/** An attempt as its activity gets it: the ids were parsed when the run was accepted. */
export interface Attempt extends AttemptInput {
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: AgentId;
}

/** Ends activities by their token, so that the end is known to be durable. */
export interface CompletionPort {
  /** True once the engine has acknowledged the result; false when the activity no longer exists. */
  complete(taskToken: Uint8Array, result: Uint8Array): Promise<boolean>;
}
