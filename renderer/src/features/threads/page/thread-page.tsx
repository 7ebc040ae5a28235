import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Link, Outlet, useMatch, useParams } from 'react-router';
import { ApiError } from '../../../api/errors.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { useCopiedAgent } from '../../../api/queries/copied-agent.ts';
import { useFreshHistory } from '../../../api/queries/known-history.ts';
import { threadRunsQuery, threadQuery, versionOf } from '../queries.ts';
import { ForkNote } from './fork-note.tsx';
import { ThreadHead } from './thread-head.tsx';
import './thread-page.css';
import { ThreadTabs } from './thread-tabs.tsx';
import { useLargeThread } from './use-large-thread.ts';

/** One thread: what it is, and its tabs. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const { data, error, refetch } = useQuery(threadQuery(threadId));
  const version = data === undefined ? '' : versionOf(data.thread);
  const runs = useQuery({
    ...threadRunsQuery(threadId, version),
    enabled: data !== undefined,
    placeholderData: (old) => old,
  });
  const copiedAgent = useCopiedAgent(threadId, runs.data?.total === 0);
  useFreshHistory(threadId, version);
  const isOfRun = useMatch('/threads/:threadId/runs/:runId') !== null;
  useLargeThread(threadId, data?.whole !== undefined);
  if (data === undefined) {
    if (error === null) return <PageSkeleton label="Reading the thread" />;
    return (
      <ErrorView
        error={error}
        title={`Thread ${threadId} could not be read`}
        onRetry={() => void refetch()}
        action={
          <Button component={Link} to="/threads" variant="subtle">
            All threads
          </Button>
        }
      />
    );
  }
  return (
    <article className="pane" aria-label={`Thread ${threadId}`}>
      <ThreadHead
        key={threadId}
        thread={data.thread}
        agentId={runs.data?.newest?.agent_id ?? copiedAgent}
        newestRun={runs.data?.newest}
        activeRun={runs.data?.active}
        isOfRun={isOfRun}
        note={<ForkNote thread={data.thread} newestRunId={runs.data?.newest?.run_id} />}
        tabs={<ThreadTabs threadId={threadId} runCount={runs.data?.total} />}
      />
      {error !== null && !isServiceUnavailable(error) && (
        <ErrorView error={error} title="The thread could not be read again" compact />
      )}
      <div className="pane">
        <Suspense fallback={<PageSkeleton />}>
          <Outlet key={threadId} />
        </Suspense>
      </div>
    </article>
  );
}

/** The line under the header shows it already, and the thread is fetched again with the service. */
function isServiceUnavailable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}
