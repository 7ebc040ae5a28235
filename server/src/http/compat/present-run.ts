import { langGraphIds } from '../../model/agent-description.ts';
import type { RunStatus, RunView } from '../../model/run/run.ts';
import { presentKwargs } from './run-kwargs.ts';
import { isoTime } from '../response/iso-time.ts';
import { type JsonText, toJsonText } from '../../model/json.ts';

/** LangGraph Server's run statuses. */
export type CompatRunStatus = 'pending' | 'running' | 'error' | 'success' | 'interrupted';

const statuses: Record<RunStatus, CompatRunStatus> = {
  pending: 'pending',
  running: 'running',
  cancelling: 'running',
  completed: 'success',
  interrupted: 'interrupted',
  cancelled: 'interrupted',
  error: 'error',
};

/** A run waiting behind others is pending; a run stopped by an interrupt or a cancellation is interrupted. */
export function compatStatus({
  status,
  queuePosition,
}: Pick<RunView, 'status' | 'queuePosition'>): CompatRunStatus {
  return queuePosition === undefined || status !== 'running' ? statuses[status] : 'pending';
}

/** A run in LangGraph Server's form. */
export function presentCompatRun(run: RunView) {
  const ids = langGraphIds(run.agentId);
  // Kept in the metadata of a run of an assistant that a user made.
  const { assistant_id: kept } = run.metadata;
  const assistantId = typeof kept === 'string' ? kept : ids.assistant_id;
  return {
    run_id: run.runUuid,
    thread_id: run.threadId,
    assistant_id: assistantId,
    created_at: isoTime(run.createdAt),
    updated_at: isoTime(run.updatedAt),
    status: compatStatus(run),
    metadata: { created_by: 'system', ...run.metadata, ...ids, assistant_id: assistantId },
    kwargs: presentKwargs(run, assistantId),
    multitask_strategy: run.multitaskStrategy ?? 'enqueue',
    ...(run.error && { error: shownError(run) }),
  };
}

/** Headers in which both clients look for a run's ids, and for the URL to resume reading after a lost connection. */
export function runLocations(run: RunView, rest: string): Record<string, string> {
  const url = `/threads/${encodeURIComponent(run.threadId)}/runs/${run.runUuid}`;
  return { 'Content-Location': url, Location: `${url}${rest}` };
}

/** A run's error in LangGraph Server's form. */
export function shownError({ error }: Pick<RunView, 'error'>): {
  error: string;
  message: string;
} {
  return {
    error: error?.type ?? error?.code ?? 'Error',
    message: error?.message ?? 'The run failed.',
  };
}

/** The result of waiting for a run: its values, or `{"__error__"}`; undefined when the run has none. */
export function runValues(run: RunView): JsonText | undefined {
  if (run.status === 'error') return toJsonText({ __error__: shownError(run) });
  return run.output;
}
