import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { searchThreads } from '../../api/queries/thread-search.ts';
import { mergeNewest, mergeOlder, type History } from './merge-history.ts';
import { readHistory } from './read-history.ts';
import { threadKeys } from '../../api/queries/thread-keys.ts';

/** A page has as many checkpoints as make about this many bytes. */
const pageBytes = 4_000_000;
const largestPage = 200;
const firstPage = 20;
const newestPage = 5;

interface ReadHistory extends History {
  /** The average size of a checkpoint in a response. */
  readonly each: number;
}

interface HistoryView {
  readonly history: History | undefined;
  readonly error: unknown;
  /** There are older ones than are listed. */
  readonly hasOlder: boolean;
  /** They could not be read. */
  readonly isOlderFailed: boolean;
  refetch(): void;
  loadOlder(): void;
}

/** A thread's checkpoints, newest first and live: only the newest few are fetched again, older ones when scrolled to. */
export function useHistory(threadId: string): HistoryView {
  const client = useQueryClient();
  const isLoadingOlder = useRef(false);
  const [isOlderFailed, setOlderFailed] = useState(false);
  const queryKey = threadKeys.history(threadId);
  const version = useVersion(threadId);
  const isBusy = version?.startsWith('busy') ?? true;
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<ReadHistory>(queryKey);
      let page = await readHistory(threadId, {
        limit: known === undefined ? firstPage : isLarge(known) ? 1 : newestPage,
        signal,
      });
      const isReached = known?.checkpoints.some(
        ({ id }) => id >= (page.checkpoints.at(-1)?.id ?? ''),
      );
      // More than that is new: those in between are fetched too.
      if (known !== undefined && !page.isLast && isReached !== true)
        page = await readHistory(threadId, { limit: pageSize(known.each), signal });
      const each = page.checkpoints.length === 0 ? 0 : page.bytes / page.checkpoints.length;
      // Not `known`: older ones may have been added meanwhile.
      return { ...mergeNewest(client.getQueryData<ReadHistory>(queryKey), page), each };
    },
    // A short run may start and end between two polls of the thread, so the newest few are polled too. Large
    // states are polled less often, and least while the thread is idle.
    refetchInterval: ({ state }) => (isLarge(state.data) ? (isBusy ? 6_000 : 15_000) : 2_000),
  });

  const { refetch } = query;
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== version) void refetch();
    seen.current = version;
  }, [version, refetch]);

  const loadOlder = async (): Promise<void> => {
    const known = client.getQueryData<ReadHistory>(queryKey);
    if (isLoadingOlder.current || known === undefined || known.isComplete) return;
    isLoadingOlder.current = true;
    setOlderFailed(false);
    try {
      const page = await readHistory(threadId, {
        limit: pageSize(known.each),
        before: known.checkpoints.at(-1)?.id,
      });
      client.setQueryData<ReadHistory>(
        queryKey,
        (now) => now && { ...now, ...mergeOlder(now, page) },
      );
    } catch {
      setOlderFailed(true);
    } finally {
      isLoadingOlder.current = false;
    }
  };

  return {
    history: query.data,
    error: query.error,
    hasOlder: query.data !== undefined && !query.data.isComplete,
    isOlderFailed,
    refetch: () => void refetch(),
    loadOlder: () => void loadOlder(),
  };
}

/** What changes with the thread: its status and the time of its last change, without its values. */
function useVersion(threadId: string): string | undefined {
  const { data } = useQuery({
    queryKey: threadKeys.row(threadId, 'version'),
    queryFn: async ({ signal }) => {
      const { threads } = await searchThreads({ ids: [threadId] }, { limit: 1, signal });
      const thread = threads.find(({ thread_id: id }) => id === threadId);
      // A thread that the search omits may be busy.
      return thread === undefined ? null : `${thread.status} ${thread.updated_at}`;
    },
    refetchInterval: 1_500,
    retry: false,
  });
  return data ?? undefined;
}

function isLarge(history: ReadHistory | undefined): boolean {
  return (history?.each ?? 0) > 400_000;
}

function pageSize(each: number): number {
  return Math.max(1, Math.min(largestPage, Math.floor(pageBytes / Math.max(each, 1))));
}
