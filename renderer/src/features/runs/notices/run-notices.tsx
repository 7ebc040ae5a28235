import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useCurrentService } from '../../../api/desktop-service.ts';
import { ApiError } from '../../../api/errors.ts';
import { unwatchRun, useWatchedRuns, type WatchedRun } from '../../../api/watched-runs.ts';
import { isSettled, runQuery } from '../run-queries.ts';
import { announce, useSeenNotices, useTitleMark } from './notices.tsx';

const pollMs = 2_000;
/** Of a run that lasts longer than ten minutes, or begins later. */
const slowPollMs = 15_000;
const slowAfterMs = 600_000;

function watchedRunQuery({ runId, threadId, startedAt }: WatchedRun) {
  return {
    ...runQuery(threadId, runId),
    refetchInterval: () => (Date.now() - startedAt > slowAfterMs ? slowPollMs : pollMs),
    // That the page is not looked at is what a notice is for.
    refetchIntervalInBackground: true,
  };
}

/** Reports how the runs end that were started in this window, unless their page is in view. */
export function RunNotices(): ReactNode {
  const service = useCurrentService();
  const all = useWatchedRuns(({ runs }) => runs);
  const watched = useMemo(() => all.filter((run) => run.service === service), [all, service]);
  const results = useQueries({ queries: watched.map(watchedRunQuery) });
  useEffect(() => {
    for (const [index, { data, error }] of results.entries()) {
      const runId = watched[index]?.runId ?? '';
      if (data !== undefined && isSettled(data.status)) {
        if (unwatchRun(runId)) announce(data);
        // Deleted with its thread, or another principal is chosen.
      } else if (error instanceof ApiError && [403, 404].includes(error.status)) unwatchRun(runId);
    }
  }, [results, watched]);
  useSeenNotices();
  useTitleMark();
  return null;
}
