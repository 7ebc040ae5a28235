import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { listRuns, type Run } from '../../../api/generated/index.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { useListSearch } from '../../../state/list-search.ts';
import { useCommands } from '../../../ui/commands.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { MoreRows } from '../../../ui/more-rows.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import { useCopiedAgent } from '../../../api/queries/copied-agent.ts';
import { CopiedQuestion } from './copied-question.tsx';
import { isSettled } from '../run-queries.ts';
import { RunRow } from './run-row.tsx';
import './thread-runs.css';
import { comparePath, runPath } from '../../../state/page-paths.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

const pageSize = 200;
const idOf = ({ run_id }: Run): string => run_id;
const commands = {
  group: 'Runs',
  next: 'Next run',
  previous: 'Previous run',
  open: 'Open the run',
};

/** The runs of a thread, newest first. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const navigate = useNavigate();
  const url = useServiceUrl();
  const [search, setSearch] = useSearchParams();
  const runs = useThreadRuns(threadId);
  const [current, setCurrent] = useState<string>();
  const [marked, setMarked] = useState<string>();
  const list = runs.data ?? [];
  const listSearch = useListSearch();
  const copiedAgent = useCopiedAgent(threadId, runs.data?.length === 0);
  const open = (run: Run): void => void navigate({ pathname: runPath(run), search: listSearch });
  const compose = (): void => setSearch(new URLSearchParams([...search, ['compose', '1']]));
  const compareWith = (run: Run): void => {
    if (marked === undefined || marked === run.run_id) {
      setMarked(marked === undefined ? run.run_id : undefined);
    } else void navigate(comparePath(marked, run.run_id));
  };
  useCommands([
    {
      id: 'runs.compare',
      label: 'Compare the run with another',
      keys: 'x',
      group: 'Runs',
      run: () => {
        const run = list.find(({ run_id }) => run_id === current);
        if (run !== undefined) compareWith(run);
      },
    },
  ]);

  return (
    <section className="pane" aria-label="Runs of the thread">
      {runs.isError && runs.data === undefined ? (
        <ErrorView
          error={runs.error}
          title="The runs could not be read"
          onRetry={() => void runs.refetch()}
        />
      ) : runs.data === undefined ? (
        <PageSkeleton label="Loading the runs" />
      ) : list.length === 0 ? (
        <>
          <CopiedQuestion threadId={threadId} agentId={copiedAgent} />
          <EmptyState
            title="No runs yet"
            text="Every run of an agent on this thread is listed here, with its status and duration."
            action={
              <Button variant="filled" leftSection={<IconPlayerPlay size={14} />} onClick={compose}>
                Run an agent
              </Button>
            }
            curl={`curl -s -X POST '${url}/threads/${encodeURIComponent(threadId)}/runs' -H 'content-type: application/json' -d '{"input": {}}'`}
          />
        </>
      ) : (
        <>
          <div className="run-row pane-row list-head dim small" aria-hidden>
            <span>run</span>
            <span>status</span>
            <span>agent</span>
            <span>attempt</span>
            <span>started</span>
            <span>took</span>
            <span />
          </div>
          {runs.isRefetchError && (
            <ErrorView error={runs.error} title="The runs could not be read again" compact />
          )}
          <VirtualList
            label="Runs"
            items={list}
            idOf={idOf}
            rowHeight={32}
            currentId={current}
            onMove={({ run_id }) => setCurrent(run_id)}
            onOpen={open}
            commands={commands}
            onRange={(_first, last) => {
              if (last > list.length - 20 && runs.hasNextPage && !runs.isFetchingNextPage) {
                void runs.fetchNextPage();
              }
            }}
            footer={
              <MoreRows
                hasMore={runs.hasNextPage}
                isFailed={runs.isFetchNextPageError}
                onRetry={() => void runs.fetchNextPage()}
              />
            }
            renderRow={(run) => (
              <RunRow run={run} marked={marked} onOpen={open} onCompare={compareWith} />
            )}
          />
        </>
      )}
    </section>
  );
}

/** Pages of runs; read again every two seconds while one of the newest is active. */
function useThreadRuns(threadId: string) {
  return useInfiniteQuery({
    queryKey: threadKeys.runPages(threadId),
    queryFn: async ({ pageParam, signal }) => {
      const path = { thread_id: threadId };
      const query = { limit: pageSize, offset: pageParam };
      return (await listRuns({ path, query, signal, throwOnError: true })).data;
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.length < pageSize ? undefined : pages.length * pageSize,
    select: ({ pages }) => [...new Map(pages.flat().map((run) => [run.run_id, run])).values()],
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.some(({ status }) => !isSettled(status)) === true ? 2_000 : 10_000,
  });
}
