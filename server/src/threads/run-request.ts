import type { Idempotency } from '../model/thread/idempotency.ts';
import type { NewRun } from '../model/run/run.ts';
import type { NoteRun } from './webhook-service.ts';
import type { RunUuid, ThreadId } from '../model/ids.ts';

/** The two parts of a run's id. */
export interface RunKey {
  threadId: ThreadId;
  runUuid: RunUuid;
}

/** A run as a client requests it, before its agent and its id are known. */
export interface RunRequest extends Omit<NewRun, 'runUuid' | 'agentId' | 'principal'> {
  agentId?: string;
  /** The client uses LangGraph's API: the input is not checked here, the graph itself reports errors in it. */
  isInputFree?: boolean;
}

/** Options of a run's creation. */
export interface RunCreation {
  /** The same creation again returns the existing run. */
  idempotency?: Idempotency | undefined;
  /**
   * The follow-up operation of a request that waits for the run or follows it; it is permitted before the run is
   * created.
   */
  thenDoes?: 'service:run:read' | 'service:run:stream';
  /** The ids of the run, where they follow from something: the same again return the run that was made. */
  key?: RunKey;
  /** Called before the run is made. The caller has to be permitted to read it: its end is sent somewhere. */
  note?: NoteRun;
  /** The caller waits for the run's end, for longer than the run may take to begin. */
  isAwaited?: boolean;
  /** The thread of a stateless run has the run's id: clients that know the run's uuid alone find it. */
  isNamedByRun?: boolean;
  /** The caller creates a missing thread itself: `thread_not_found` is thrown if the run is permitted there. */
  isThreadMade?: boolean;
}
