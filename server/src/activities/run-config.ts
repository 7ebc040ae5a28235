import { authConfig, withoutAuth } from './auth-config.ts';
import { langGraphIds } from '../model/agent-description.ts';
import { isObject, jsonText, type JsonText } from '../model/json.ts';
import { configurableOf, type NewRun, type RunStart } from '../model/run/run.ts';
import type { AttemptInput } from '../model/thread/thread-wire.ts';

/**
 * The LangGraph config of an attempt: the client's, plus our members under `configurable` (decisions: "`config`") and
 * those that agents find under LangGraph's server.
 * `run_id` is the same in every attempt: LangGraph then treats a later attempt as a continuation.
 */
export function runConfig(input: AttemptInput, run: NewRun): Record<string, unknown> {
  const { config } = run;
  const checkpoint = input.hasOwnCheckpoint ? undefined : run.checkpoint;
  const auth = authConfig(run.principal);
  const ids = {
    thread_id: input.threadId,
    run_id: input.runUuid,
    ...langGraphIds(input.agentId),
  };
  return {
    ...config,
    metadata: {
      created_by: 'system', // the value of LangGraph's server for the assistant of a graph in a manifest
      ...asObject(config['metadata']),
      ...run.metadata,
      ...ids,
      agent_id: input.agentId,
      run_attempt: input.attempt,
    },
    configurable: {
      user_id: auth.langgraph_auth_user_id,
      ...withoutPosition(withoutAuth(asObject(config['configurable']))),
      ...auth,
      ...ids,
      principal: run.principal,
      checkpoint_ns: checkpoint?.ns ?? '',
      ...(checkpoint && { checkpoint_id: checkpoint.id }),
    },
  };
}

/**
 * The context that the agent gets: the run's, otherwise the client's values under `configurable`, as LangGraph's server
 * does it; the guest copies a context into `configurable` in turn. Never absent: a schema then supplies its defaults.
 */
export function runContext({ context, config }: NewRun): JsonText {
  const isMirrored = context === undefined || context === '{}';
  if (isMirrored) return jsonText(JSON.stringify(withoutAuth(configurableOf(config))));
  const given = asObject(JSON.parse(context));
  const kept = withoutAuth(given);
  // Passed on verbatim, unless it contains members that identify the caller: it is copied into `configurable`.
  const isHonest = Object.keys(kept).length === Object.keys(given).length;
  return isHonest ? context : jsonText(JSON.stringify(kept));
}

/** The start of an attempt: the run's own start until that was applied, afterwards the head. */
export function attemptStart(input: AttemptInput, run: NewRun): RunStart {
  return input.hasOwnCheckpoint ? { kind: 'proceed' } : run.start;
}

/** The run sets its own position in the thread: LangGraph treats an unknown checkpoint as none. */
function withoutPosition(configurable: Record<string, unknown>): Record<string, unknown> {
  const { checkpoint_id: _, checkpoint_map: __, ...rest } = configurable;
  return rest;
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
