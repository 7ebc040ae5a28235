import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { Refusal } from '../../api/errors.ts';
import { cancelThreadRun, getHistory, type Run } from '../../api/generated/index.ts';
import { recordedBody } from '../../api/queries/recorded-body.ts';
import { useListSearch } from '../../state/list-search.ts';
import { threadChanged } from '../../api/queries/thread-keys.ts';
import { runUuid } from './run-queries.ts';
import { inspected, sendRun, type RunRequest } from '../../api/send-run.ts';
import { resendable } from '../../api/sent-runs.ts';
import { runPath } from '../../state/page-paths.ts';

/** Sends a run and opens it, or passes it to `onSent`. */
export function useSendRun(onSent?: (run: Run) => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const search = useListSearch();
  return useMutation({
    mutationFn: (request: RunRequest) => sendRun(request),
    onSuccess: (run) => {
      if (onSent === undefined) void navigate({ pathname: runPath(run), search });
      else onSent(run);
      return threadChanged(client, run.thread_id);
    },
  });
}

/** Cancels a run. */
export function useCancelRun(run: Run) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      cancelThreadRun({
        path: { thread_id: run.thread_id, run_id: run.run_id },
        throwOnError: true,
      }),
    onSuccess: () => threadChanged(client, run.thread_id),
  });
}

/** The request of Re-run: the sent one again, the recorded input, or one from the first retained checkpoint. */
export async function rerunRequest(
  run: Pick<Run, 'run_id' | 'thread_id' | 'agent_id'>,
): Promise<RunRequest> {
  const sent = resendable(run.run_id);
  if (sent?.body !== undefined) {
    return { threadId: sent.isStateless ? null : run.thread_id, body: sent.body };
  }
  const recorded = await recordedBody(run.run_id);
  if (recorded !== null && 'input' in recorded) {
    return { threadId: run.thread_id, body: { ...recorded, ...inspected } };
  }
  const { data } = await getHistory({
    path: { thread_id: run.thread_id },
    query: { limit: 1000 },
    throwOnError: true,
  });
  const first = data.findLast(({ metadata }) => metadata?.['run_id'] === runUuid(run.run_id));
  if (first === undefined) {
    throw new Refusal(
      'The input of this run is not recorded, and none of its checkpoints is retained: use Run and enter the input.',
    );
  }
  const { checkpoint_id, checkpoint_ns } = first.checkpoint;
  return {
    threadId: run.thread_id,
    body: { agent_id: run.agent_id, checkpoint: { checkpoint_id, checkpoint_ns }, ...inspected },
  };
}
