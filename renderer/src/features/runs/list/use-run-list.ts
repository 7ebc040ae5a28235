import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import {
  runHeadQuery,
  runPagesQuery,
  type RunSearchBody,
} from '../../../api/queries/run-search.ts';
import { useHiddenRuns } from './hidden-runs.ts';
import { mergeHead } from './merge-runs.ts';

/** Rows that are read ahead of the last visible one. */
const ahead = 200;

/** The runs of a search: pages as the user scrolls, with the newest kept fresh. */
export function useRunList(body: RunSearchBody) {
  const client = useQueryClient();
  const pagesQuery = useMemo(() => runPagesQuery(body), [body]);
  const pages = useInfiniteQuery(pagesQuery);
  const isReady = pages.data !== undefined && !pages.isPlaceholderData;
  const head = useQuery({
    ...runHeadQuery(body),
    enabled: isReady,
    // The first page has just been read.
    initialData: () => (isReady ? pages.data?.pages[0] : undefined),
    initialDataUpdatedAt: pages.dataUpdatedAt,
  });

  useEffect(() => {
    const { queryKey } = pagesQuery;
    const old = client.getQueryData(queryKey);
    if (head.data === undefined || old === undefined) return;
    const now = mergeHead(old.pages, head.data);
    if (now === undefined) void client.resetQueries({ queryKey, exact: true });
    else if (now !== old.pages) {
      client.setQueryData(queryKey, {
        pages: [...now],
        pageParams: old.pageParams.slice(0, now.length),
      });
    }
  }, [head.data, pagesQuery, client]);

  const hidden = useHiddenRuns(({ ids }) => ids);
  const runs = useMemo(() => {
    const listed = new Map(
      (pages.data?.pages ?? []).flatMap((page) => page.runs.map((run) => [run.run_id, run])),
    );
    for (const id of hidden) listed.delete(id);
    return [...listed.values()];
  }, [pages.data, hidden]);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const count = runs.length;
  const onRange = useCallback(
    (first: number, last: number) => {
      // A page that has failed is read again on request.
      const canRead = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
      // Not before it is scrolled: the first rows would wait for what is far below them.
      const needed = last + (first === 0 ? 1 : ahead);
      if (canRead && needed >= count) void fetchNextPage({ cancelRefetch: false });
    },
    [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, count],
  );
  return {
    runs,
    isPending: pages.isPending,
    isStale: pages.isPlaceholderData,
    error: pages.data === undefined ? pages.error : null,
    /** Why the list that is there is not the newest one. */
    refreshError: head.error,
    hasMore: hasNextPage,
    isMoreFailed: isFetchNextPageError,
    readMore: () => void fetchNextPage(),
    retry: () => void pages.refetch(),
    onRange,
  };
}
