import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { getThreadRunLogs, type Run, type RunLogs } from '../../../api/generated/index.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { LogLines } from './log-lines.tsx';
import '../events/events.css';
import { isSettled } from '../run-queries.ts';

/** How many lines a request reads, and how many pages are read in a row. */
const pageSize = 1000;
const maxPages = 20;

/** What the agent itself wrote during this run. */
export function LogsTab({ run }: { run: Run }): ReactNode {
  const lines = useRunLogs(run);
  const url = useServiceUrl();
  if (lines.data !== undefined && lines.data.lines.length > 0)
    return <LogLines logs={lines.data} />;
  if (lines.isError) {
    return (
      <ErrorView
        error={lines.error}
        title="The logs could not be read"
        onRetry={() => void lines.refetch()}
      />
    );
  }
  if (lines.data === undefined) return <PageSkeleton label="Loading the logs" />;
  return (
    <EmptyState
      title={isSettled(run.status) ? 'No logs are kept' : 'No logs yet'}
      text="What the agent prints during this run, on stdout and stderr, is shown here until ten minutes after its end."
      curl={`curl -s ${url}/runs/${run.run_id}/logs`}
    />
  );
}

/** Reads from the last line, every second while the run is active. */
function useRunLogs(run: Run) {
  const [reader] = useState(() => createLogReader(run));
  const isOver = isSettled(run.status);
  return useQuery({
    // With the end: what was written since the last look is read then.
    queryKey: threadKeys.runLogs(run.thread_id, run.run_id, isOver),
    queryFn: ({ signal }) => reader(signal),
    placeholderData: keepPreviousData,
    refetchInterval: isOver ? false : 1_000,
    structuralSharing: false,
  });
}

/** Every call reads what is new, and returns everything so far. */
function createLogReader({ thread_id, run_id }: Run): (signal: AbortSignal) => Promise<RunLogs> {
  const known: RunLogs['lines'] = [];
  let dropped = 0;
  return async (signal) => {
    for (let page = 0; page < maxPages; page += 1) {
      const { data } = await getThreadRunLogs({
        path: { thread_id, run_id },
        query: { limit: pageSize, after: known.at(-1)?.id ?? 0 },
        signal,
        throwOnError: true,
      });
      known.push(...data.lines);
      dropped += data.dropped;
      if (data.lines.length < pageSize) break;
    }
    return { lines: [...known], dropped };
  };
}
