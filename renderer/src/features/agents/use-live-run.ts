import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getHistory, listRuns, type Run, searchThreads } from '../../api/generated/index.ts';
import { createLiveNodes } from '../../api/live-nodes.ts';
import { openRunStream } from '../../api/run-stream.ts';
import { usePrincipal } from '../../state/principal.ts';

/** How often a run of the agent is searched for. */
const searchMs = 2_000;
/** How often the next nodes are fetched of a run whose events do not contain them. */
const fetchMs = 1_000;

export interface LiveRun {
  readonly run: Run;
  readonly nodes: readonly string[];
}

/** The newest running run of an agent, with the nodes that run now; undefined while none runs. */
export function useLiveRun(agentId: string): LiveRun | undefined {
  const principal = usePrincipal(({ active }) => active);
  const run =
    useQuery({
      queryKey: ['live-run', agentId, principal],
      queryFn: async ({ signal }) => (await findRunning(agentId, signal)) ?? null,
      refetchInterval: searchMs,
    }).data ?? undefined;
  const streamed = useStreamedNodes(run);
  const fetched = useQuery({
    queryKey: ['live-next', run?.run_id],
    queryFn: async ({ signal }) => {
      const path = { thread_id: run?.thread_id ?? '' };
      const { data } = await getHistory({ path, query: { limit: 1 }, signal, throwOnError: true });
      return data[0]?.next_nodes ?? [];
    },
    enabled: run !== undefined && streamed === undefined,
    refetchInterval: fetchMs,
  }).data;
  return run === undefined ? undefined : { run, nodes: streamed ?? fetched ?? [] };
}

async function findRunning(agentId: string, signal: AbortSignal): Promise<Run | undefined> {
  const body = { agent_id: agentId, run_status: 'running' as const, limit: 1 };
  const [thread] = (await searchThreads({ body, signal, throwOnError: true })).data;
  if (thread === undefined) return undefined;
  const path = { thread_id: thread.thread_id };
  const { data } = await listRuns({ path, query: { limit: 1 }, signal, throwOnError: true });
  return data.find(({ status }) => status === 'running');
}

/** The nodes from the run's own events; undefined where these do not contain them. */
function useStreamedNodes(run: Run | undefined): readonly string[] | undefined {
  const [streamed, setStreamed] = useState<{ runId: string; nodes: readonly string[] }>();
  const runId = run?.run_id;
  useEffect(() => {
    if (runId === undefined) return undefined;
    const stream = openRunStream({ runId, modes: ['tasks', 'lifecycle'], subgraphs: true });
    const live = createLiveNodes();
    let position = 0;
    const update = (): void => {
      const { log } = stream.getSnapshot();
      for (position = Math.max(position, log.first); position < log.end; position += 1) {
        const event = log.get(position);
        if (event !== undefined) live.take(event);
      }
      if (live.hasTaskEvents()) setStreamed({ runId, nodes: live.nodes() });
    };
    const stop = stream.subscribe(update);
    return () => {
      stop();
      stream.close();
    };
  }, [runId]);
  return streamed?.runId === runId ? streamed?.nodes : undefined;
}
