import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { Run } from '../../api/generated/index.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { LogLines } from './log-lines.tsx';
import './events.css';
import { readLogPage, type LogLine } from './log-page.ts';
import { isSettled } from './run-queries.ts';

/** So many lines are asked for at once, and so many pages are followed in one go. */
const pageSize = 1000;
const maxPages = 20;

/** What the agent itself wrote during this run. */
export function LogsTab({ run }: { run: Run }): ReactNode {
  const lines = useRunLogs(run);
  if (lines.data !== undefined && lines.data.length > 0) return <LogLines lines={lines.data} />;
  if (lines.error instanceof ApiError && lines.error.code === 'route_not_found') {
    return (
      <EmptyState
        title="No logs of runs"
        text="This version of the service does not keep what agents write."
      />
    );
  }
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
      title={isSettled(run.status) ? 'Nothing was written' : 'Nothing written so far'}
      text="What the agent prints during this run, on stdout and stderr, is shown here while it is kept."
      curl={`curl -s /runs/${run.run_id}/logs`}
    />
  );
}

/** Reads on from the last line, every second while the run goes on. */
function useRunLogs(run: Run) {
  const [reader] = useState(() => createLogReader(run.run_id));
  return useQuery({
    queryKey: ['run-logs', run.run_id],
    queryFn: ({ signal }) => reader(signal),
    refetchInterval: isSettled(run.status) ? false : 1_000,
    structuralSharing: false,
  });
}

/** Every call reads what is new, and answers all lines so far. */
function createLogReader(runId: string): (signal: AbortSignal) => Promise<readonly LogLine[]> {
  const known: LogLine[] = [];
  let after: string | undefined;
  return async (signal) => {
    for (let page = 0; page < maxPages; page += 1) {
      const query = new URLSearchParams({ limit: String(pageSize) });
      if (after !== undefined) query.set('after', after);
      const path = `/runs/${encodeURIComponent(runId)}/logs?${query.toString()}` as const;
      const { lines, next } = readLogPage(await (await request(path, { signal })).json());
      known.push(...lines);
      after = next ?? after;
      if (lines.length < pageSize) break;
    }
    return [...known];
  };
}
