import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Run, Thread } from '../../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { waitingLimit, waitingThreadsQuery } from '../../../api/queries/waiting-threads.ts';
import { useHiddenThreads } from '../../../state/hidden-threads.ts';
import { usePrincipal } from '../../../state/principal.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { mergeWaiting } from './merge-waiting.ts';
import { type Answered, WaitingThread } from './waiting-thread.tsx';
import './waiting.css';

/** Each of them reads its question. */
const shownAtOnce = 20;

/** What waits for a person in all threads, longest first, answered in place. */
export function Component(): ReactNode {
  // What was answered as one principal is not shown to another.
  const principal = usePrincipal(({ active }) => active);
  return <Waiting key={principal} />;
}

function Waiting(): ReactNode {
  const url = useServiceUrl();
  const [answered, setAnswered] = useState<ReadonlyMap<string, Answered>>(new Map());
  const waiting = useWaitingRows(answered);
  const [shown, setShown] = useState(shownAtOnce);
  const onAnswered = useCallback(
    (threadId: string, from: string, run: Run) =>
      setAnswered((before) => new Map(before).set(threadId, { from, run })),
    [],
  );
  const { rows, total, error, isPending, retry } = waiting;
  if (isPending) return <PageSkeleton label="Loading the questions" />;
  if (rows.length === 0 && error !== null)
    return <ErrorView error={error} title="The questions could not be read" onRetry={retry} />;
  if (rows.length === 0) {
    return (
      <EmptyState
        title="Nothing waits for an answer"
        text="When an agent asks a question, or stops at a breakpoint, it is listed here until it is answered."
        curl={`curl -s '${url}/threads/search' -H 'content-type: application/json' -d '{"status": "interrupted"}'`}
      />
    );
  }
  return (
    <section className="waiting stack scroll" aria-label="Waiting for an answer">
      <header className="row">
        <h1>Waiting for an answer</h1>
        <span className="dim">longest first</span>
      </header>
      {error !== null && (
        <ErrorView error={error} title="The questions could not be read again" compact />
      )}
      <ol className="stack">
        {rows.slice(0, shown).map((thread) => (
          <WaitingThread
            key={thread.thread_id}
            thread={thread}
            answered={answered.get(thread.thread_id)}
            onAnswered={onAnswered}
          />
        ))}
      </ol>
      <footer>
        {rows.length > shown && (
          <Button onClick={() => setShown(shown + shownAtOnce)}>
            Show {formatNumber(Math.min(shownAtOnce, rows.length - shown))} more
          </Button>
        )}
        {total !== undefined && total > waitingLimit && (
          <p className="dim">
            These are the newest {waitingLimit} of {formatNumber(total)}: all are in{' '}
            <Link to="/threads?status=interrupted">the list of threads</Link>.
          </p>
        )}
      </footer>
    </section>
  );
}

/** The threads that wait, and those that were answered on this page. */
function useWaitingRows(answered: ReadonlyMap<string, Answered>) {
  const { data, error, isPending, refetch } = useQuery(waitingThreadsQuery);
  const hidden = useHiddenThreads(({ ids }) => ids);
  const [rows, setRows] = useState<readonly Thread[]>([]);
  const merged = useMemo(
    () =>
      data === undefined
        ? rows
        : mergeWaiting(
            rows,
            data.threads.filter(({ thread_id }) => !hidden.has(thread_id)),
            (threadId) => answered.has(threadId),
          ),
    [rows, data, hidden, answered],
  );
  if (merged !== rows) setRows(merged);
  return { rows: merged, total: data?.total, error, isPending, retry: () => void refetch() };
}
