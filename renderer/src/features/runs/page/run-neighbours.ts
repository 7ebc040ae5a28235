import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Run } from '../../../api/generated/index.ts';
import { runListQuery } from '../../../api/queries/thread-runs.ts';
import { useListSearch } from '../../../state/list-search.ts';
import { useCommands } from '../../../ui/commands.ts';
import { useNavigationTarget } from '../../../ui/use-navigation-target.ts';
import { runUuid } from '../run-queries.ts';
import { runPath } from '../../../state/page-paths.ts';

/** The runs of a run's thread, newest first. */
function useThreadRuns(threadId: string): readonly Run[] | undefined {
  return useQuery({ ...runListQuery(threadId), staleTime: 10_000 }).data;
}

/** True for the newest run of its thread: only that one is retried or continued. Undefined before it is known. */
export function useIsNewest(run: Pick<Run, 'run_id' | 'thread_id'>): boolean | undefined {
  const runs = useThreadRuns(run.thread_id);
  return runs === undefined ? undefined : runs[0]?.run_id === run.run_id;
}

/** `[` and `]` go to the run before and after this one in its thread, also before it is read. */
export function useRunNeighbours(threadId: string, runId: string): void {
  const navigate = useNavigate();
  const search = useListSearch();
  const data = useThreadRuns(threadId) ?? [];
  const pending = useNavigationTarget(runUuid(runId));
  const go = (by: 1 | -1) => () => {
    const index = data.findIndex(({ run_id }) => runUuid(run_id) === pending.target());
    const to = index < 0 ? undefined : data[index + by];
    if (to === undefined) return;
    pending.setTarget(runUuid(to.run_id));
    void navigate({ pathname: runPath(to), search });
  };
  useCommands([
    {
      id: 'run.previous',
      label: 'Previous run of the thread',
      keys: '[',
      group: 'Run',
      run: go(1),
    },
    {
      id: 'run.next',
      label: 'Next run of the thread',
      keys: ']',
      group: 'Run',
      run: go(-1),
    },
  ]);
}
