import type { NewRun } from '../model/run.ts';

/** A run as a client asks for it, before its agent is known and its id is made. */
export interface RunRequest extends Omit<NewRun, 'runUuid' | 'agentId' | 'principal'> {
  agentId?: string;
  /** The client speaks LangGraph's API: whatever the input is, the graph itself says what is wrong with it. */
  isInputFree?: boolean;
}
