import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { listRuns, type Run } from '../../api/generated/index.ts';
import { useCommands } from '../../ui/commands.ts';
import { runPath, useKeptSearch } from './run-actions.ts';

/** `[` and `]` go to the run before and after this one in its thread. */
export function useRunNeighbours(run: Run): void {
  const navigate = useNavigate();
  const search = useKeptSearch();
  const { data = [] } = useQuery({
    queryKey: ['run-neighbours', run.thread_id],
    queryFn: async ({ signal }) => {
      const path = { thread_id: run.thread_id };
      return (await listRuns({ path, query: { limit: 1000 }, signal, throwOnError: true })).data;
    },
    staleTime: 10_000,
  });
  const index = data.findIndex(({ run_id }) => run_id === run.run_id);
  const go = (to: Run | undefined) => () => {
    if (to !== undefined) void navigate({ pathname: runPath(to), search });
  };
  // Newest first.
  useCommands([
    {
      id: 'run.previous',
      label: 'Previous run of the thread',
      keys: '[',
      group: 'Run',
      run: go(index < 0 ? undefined : data[index + 1]),
    },
    {
      id: 'run.next',
      label: 'Next run of the thread',
      keys: ']',
      group: 'Run',
      run: go(data[index - 1]),
    },
  ]);
}
