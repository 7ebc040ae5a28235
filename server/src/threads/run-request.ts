import type { Idempotency } from '../model/thread/idempotency.ts';
import type { NewRun } from '../model/run/run.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';

/** A run by its two halves. */
export interface RunKey {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/** A run as a client asks for it, before its agent is known and its id is made. */
export interface RunRequest extends Omit<NewRun, 'runUuid' | 'agentId' | 'principal'> {
  agentId?: string;
  /** The client speaks LangGraph's API: whatever the input is, the graph itself says what is wrong with it. */
  isInputFree?: boolean;
}

/** How a run is created, besides what it is. */
export interface RunCreation {
  /** The same creation again returns the run that was made. */
  idempotency?: Idempotency | undefined;
  /** What the request goes on with, which is asked before the run is made: its client waits for the run or follows it. */
  thenDoes?: 'service:run:read' | 'service:run:stream';
  /** The caller makes the thread where there is none: it is told so (`thread_not_found`) if the run is permitted there. */
  isThreadMade?: boolean;
}
