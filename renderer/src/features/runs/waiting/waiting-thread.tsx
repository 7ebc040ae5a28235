import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Run, Thread } from '../../../api/generated/types.gen.ts';
import { newestRunQuery } from '../../../api/queries/thread-runs.ts';
import { pollEvery } from '../../../api/queries/waiting-threads.ts';
import { useInView } from '../../../state/in-view.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { shortenMiddle } from '../../../ui/format.ts';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { InterruptPanel } from '../interrupt-panel.tsx';
import { isSettled } from '../run-queries.ts';
import { RunStatus } from '../run-status.tsx';
import { runPath, threadPath } from '../../../state/page-paths.ts';

/** An answer that was given on this page. */
export interface Answered {
  /** The id of the run that asked. */
  readonly from: string;
  /** The run that continues. */
  readonly run: Run;
}

interface WaitingThreadProps {
  readonly thread: Thread;
  readonly answered: Answered | undefined;
  readonly onAnswered: (threadId: string, from: string, run: Run) => void;
}

/** A thread that waits: what it is, its questions with their form, and what became of the answer. */
export const WaitingThread = memo(function WaitingThread(props: WaitingThreadProps): ReactNode {
  const { thread, answered, onAnswered } = props;
  const { thread_id: id, title, last_activity_at: activity } = thread;
  const newest = useQuery({
    ...newestRunQuery(id, activity),
    placeholderData: keepPreviousData,
    retry: false,
    // Without the time of its activity the thread itself does not show when its newest run changes.
    refetchInterval: answered !== undefined || activity === undefined ? pollEvery : false,
  });
  // Until it is listed, the run that continues is the one that was sent.
  const run = newest.data?.run_id === answered?.from ? answered?.run : newest.data;
  useInView(run?.run_id);
  return (
    <li className="waiting-thread card" aria-label={title ?? id}>
      <header className="toolbar">
        <Link className="waiting-title clip" to={threadPath(id)} title={id}>
          {title ?? shortenMiddle(id, 32)}
        </Link>
        {run && (
          <>
            <span className="clip grow dim">{run.agent_id}</span>
            <span className="dim">
              <TimeAgo time={run.updated_at} what="Since" />
            </span>
            <Link to={runPath(run)}>Open run</Link>
          </>
        )}
      </header>
      {newest.isError && (
        <ErrorView
          compact
          error={newest.error}
          title="The question could not be read"
          onRetry={() => void newest.refetch()}
        />
      )}
      {run?.status === 'interrupted' ? (
        <InterruptPanel
          key={run.run_id}
          run={run}
          isNewest
          onSent={(sent) => onAnswered(id, run.run_id, sent)}
        />
      ) : (
        run && <Continued run={run} isAnswered={answered !== undefined} />
      )}
    </li>
  );
});

function Continued({ run, isAnswered }: { run: Run; isAnswered: boolean }): ReactNode {
  return (
    <p className="hint row" role="status">
      {isAnswered ? 'Answered.' : 'Continued.'}{' '}
      {isSettled(run.status) ? 'The run has ended:' : 'The run goes on:'} <RunStatus run={run} />
    </p>
  );
}
