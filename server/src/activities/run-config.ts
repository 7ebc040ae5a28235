import type { NewRun, RunStart } from '../model/run.ts';
import type { AttemptInput } from '../model/thread-wire.ts';

/**
 * The LangGraph config of an attempt: the client's, plus what is ours under `configurable` (decisions: "`config`").
 * `run_id` is the same in every attempt: LangGraph then takes a later attempt for a continuation.
 */
export function runConfig(input: AttemptInput, run: NewRun): Record<string, unknown> {
  const { config } = run;
  const checkpoint = input.hasOwnCheckpoint ? undefined : run.checkpoint;
  return {
    ...config,
    metadata: {
      ...asObject(config['metadata']),
      ...run.metadata,
      thread_id: input.threadId,
      run_id: input.runUuid,
      agent_id: input.agentId,
    },
    configurable: {
      ...withoutPosition(asObject(config['configurable'])),
      thread_id: input.threadId,
      run_id: input.runUuid,
      principal: run.principal,
      checkpoint_ns: checkpoint?.ns ?? '',
      ...(checkpoint && { checkpoint_id: checkpoint.id }),
    },
  };
}

/** What an attempt starts from: the run's own start until that was applied, afterwards the head. */
export function attemptStart(input: AttemptInput, run: NewRun): RunStart {
  return input.hasOwnCheckpoint ? { kind: 'proceed' } : run.start;
}

/** Where in the thread a run begins is the run's own business: LangGraph takes an unknown checkpoint for none. */
function withoutPosition(configurable: Record<string, unknown>): Record<string, unknown> {
  const { checkpoint_id: _, checkpoint_map: __, ...rest } = configurable;
  return rest;
}

function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {}; // just checked
}
