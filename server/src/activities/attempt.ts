import type { AgentId, RunUuid, ThreadId } from '../model/ids.ts';
import type { AttemptInput } from '../model/thread/thread-wire.ts';

/** An attempt as its activity gets it: the ids were parsed when the run was accepted. */
export interface Attempt extends AttemptInput {
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: AgentId;
}
