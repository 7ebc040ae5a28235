import type { AgentId, RunUuid, ThreadId } from '../../model/ids.ts';

/** On whose behalf an agent calls its host: that of a run, of a read or of a change of a thread's state. */
export interface GuestCaller {
  threadId: ThreadId;
  agentId: AgentId;
  /** Absent outside of runs. */
  runUuid?: RunUuid;
  /** What the config has under `configurable.principal`. */
  principal: unknown;
}

/** The caller that a LangGraph config names. */
export function guestCallerOf(
  config: Record<string, unknown>,
  place: Pick<GuestCaller, 'threadId' | 'agentId' | 'runUuid'>,
): GuestCaller {
  const { configurable } = config as { configurable?: { principal?: unknown } }; // a LangGraph config
  return { ...place, principal: configurable?.principal };
}
