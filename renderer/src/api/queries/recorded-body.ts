import { queryOptions } from '@tanstack/react-query';
import { getRun, getRunInput } from '../generated/index.ts';
import { isRecord } from '../json-record.ts';
import { runHistoryKeys } from './run-history-keys.ts';

/**
 * The request that repeats a run, from its record: the agent, the context, the input or the command. Null where the
 * history does not have it whole.
 */
export function recordedBodyQuery(runId: string) {
  return queryOptions({
    queryKey: runHistoryKeys.body(runId),
    queryFn: ({ signal }) => recordedBody(runId, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The same, once. */
export async function recordedBody(
  runId: string,
  signal?: AbortSignal,
): Promise<Record<string, unknown> | null> {
  const path = { run_id: runId };
  const options = { path, throwOnError: true, ...(signal && { signal }) } as const;
  const [input, run] = await Promise.all([
    getRunInput(options).then(
      ({ data }) => data,
      () => undefined,
    ),
    getRun(options),
  ]);
  const { agent_id, context } = run.data;
  const value = input?.kind === 'command' ? input.command : input?.input;
  if (input === undefined || input.kind === 'proceed' || isCut(value)) return null;
  return { agent_id, ...(context && { context }), [input.kind]: value };
}

/** It was too large to be recorded whole. */
function isCut(value: unknown): boolean {
  return isRecord(value) && value['truncated'] === true && 'preview' in value;
}
