import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Thread } from '../../../api/generated/types.gen.ts';
import { searchThreads, type ThreadPage } from '../../../api/queries/thread-search.ts';
import { useHiddenThreads } from '../../../state/hidden-threads.ts';
import { mergeHead, mergeSeen } from './merge-pages.ts';
import { searchBody, type ThreadFilter } from './thread-filter.ts';
import { firstLimit, threadPagesQuery } from './thread-pages.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** Rows that are read ahead of the last visible one. */
const ahead = 600;
const pollEvery = 2_000;
/** Scrolling counts as stopped after this time. */
const debounceMs = 250;
/** Rows per request by their ids. */
const seenLimit = 100;

/** The threads that match a filter: pages as the user scrolls, with the top and the visible rows kept fresh. */
export function useThreadList(filter: ThreadFilter) {
  const queryClient = useQueryClient();
  const body = useMemo(() => searchBody(filter), [filter]);
  const pagesQuery = useMemo(() => threadPagesQuery(body), [body]);
  const key = pagesQuery.queryKey;
  const pages = useInfiniteQuery(pagesQuery);

  const update = useCallback(
    (change: (pages: readonly ThreadPage[]) => readonly ThreadPage[] | undefined): void => {
      const old = queryClient.getQueryData(key);
      if (old === undefined) return;
      const now = change(old.pages);
      if (now === undefined) void queryClient.resetQueries({ queryKey: key, exact: true });
      else if (now !== old.pages) {
        queryClient.setQueryData(key, {
          pages: [...now],
          pageParams: old.pageParams.slice(0, now.length),
        });
      }
    },
    [queryClient, key],
  );

  const isReady = pages.data !== undefined && !pages.isPlaceholderData;
  const head = useQuery({
    queryKey: threadKeys.head(body),
    queryFn: ({ signal }) => searchThreads(body, { limit: firstLimit, signal }),
    enabled: isReady,
    refetchInterval: pollEvery,
    retry: false,
  });
  useEffect(() => {
    if (head.data !== undefined) update((old) => mergeHead(old, head.data, firstLimit));
  }, [head.data, update]);

  const hidden = useHiddenThreads(({ ids }) => ids);
  const threads = useMemo(() => {
    const seen = new Set<string>();
    return (pages.data?.pages ?? []).flatMap((page) =>
      page.threads.filter(({ thread_id }) => {
        if (hidden.has(thread_id) || seen.has(thread_id)) return false;
        seen.add(thread_id);
        return true;
      }),
    );
  }, [pages.data, hidden]);

  const [range, setRange] = useState({ first: 0, last: 0 });
  const seenIds = useMemo(() => idsBelowHead(threads, range), [threads, range]);
  const seen = useQuery({
    queryKey: threadKeys.seen(body, seenIds),
    queryFn: async ({ signal }) => ({
      requested: seenIds,
      found: await searchThreads({ ...body, ids: seenIds }, { limit: seenLimit, signal }),
    }),
    enabled: isReady && seenIds.length > 0,
    refetchInterval: pollEvery,
    retry: false,
    gcTime: 0,
  });
  useEffect(() => {
    if (seen.data === undefined) return;
    const { requested, found } = seen.data;
    update((old) => mergeSeen(old, requested, found.threads));
  }, [seen.data, update]);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const seenLast = useRef(0);
  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settle.current), []);
  const count = threads.length;
  const readAhead = useCallback(() => {
    // A page that has failed is read again on request.
    const canRead = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
    // Both callers may ask within one commit.
    if (canRead && seenLast.current + ahead > count) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, count]);
  useEffect(readAhead, [readAhead]);
  // Scrolling itself renders nothing here: rows are fetched by their ids once it has stopped.
  const onRange = useCallback(
    (first: number, last: number) => {
      seenLast.current = last;
      readAhead();
      clearTimeout(settle.current);
      settle.current = setTimeout(() => setRange({ first, last }), debounceMs);
    },
    [readAhead],
  );

  const totalOf = (): number | undefined => {
    const counted = pages.data?.pages[0]?.total;
    if (counted !== undefined) return Math.max(0, counted - hidden.size);
    return pages.isSuccess && !hasNextPage ? threads.length : undefined;
  };
  return {
    threads,
    /** Their number; undefined while it is unknown. */
    total: totalOf(),
    isPending: pages.isPending,
    isStale: pages.isPlaceholderData,
    error: pages.error,
    hasMore: hasNextPage,
    isMoreFailed: isFetchNextPageError,
    readMore: () => void fetchNextPage(),
    retry: () => void pages.refetch(),
    refresh: () => void head.refetch(),
    onRange,
  };
}

/** The visible rows that the response for the top does not contain. */
function idsBelowHead(
  threads: readonly Thread[],
  { first, last }: { first: number; last: number },
): readonly string[] {
  const from = Math.max(firstLimit, first);
  if (last < from) return [];
  return threads
    .slice(from, Math.min(last + 1, from + seenLimit))
    .map(({ thread_id }) => thread_id);
}
