import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getHistory, listRuns, type Run, searchThreads } from '../../api/generated/index.ts';
import { createLiveNodes } from '../../api/live-nodes.ts';
import { openRunStream } from '../../api/run-stream.ts';
import { usePrincipal } from '../../state/principal.ts';

/** How often a run of the agent is looked for. */
const lookMs = 2_000;
/** How often the next nodes of a run are asked for that does not tell of them. */
const askMs = 1_000;

export interface LiveRun {
  readonly run: Run;
  readonly nodes: readonly string[];
}

/** The newest running run of an agent, with the nodes that work now; undefined while none runs. */
export function useLiveRun(agentId: string): LiveRun | undefined {
  const principal = usePrincipal(({ active }) => active);
  const run =
    useQuery({
      queryKey: ['live-run', agentId, principal],
      queryFn: async ({ signal }) => (await findRunning(agentId, signal)) ?? null,
      refetchInterval: lookMs,
    }).data ?? undefined;
  const told = useToldNodes(run);
  const asked = useQuery({
    queryKey: ['live-next', run?.run_id],
    queryFn: async ({ signal }) => {
      const path = { thread_id: run?.thread_id ?? '' };
      const { data } = await getHistory({ path, query: { limit: 1 }, signal, throwOnError: true });
      return data[0]?.next_nodes ?? [];
    },
    enabled: run !== undefined && told === undefined,
    refetchInterval: askMs,
  }).data;
  return run === undefined ? undefined : { run, nodes: told ?? asked ?? [] };
}

async function findRunning(agentId: string, signal: AbortSignal): Promise<Run | undefined> {
  const body = { agent_id: agentId, run_status: 'running' as const, limit: 1 };
  const [thread] = (await searchThreads({ body, signal, throwOnError: true })).data;
  if (thread === undefined) return undefined;
  const path = { thread_id: thread.thread_id };
  const { data } = await listRuns({ path, query: { limit: 1 }, signal, throwOnError: true });
  return data.find(({ status }) => status === 'running');
}

/** What the run's own events say; undefined where they do not. */
function useToldNodes(run: Run | undefined): readonly string[] | undefined {
  const [told, setTold] = useState<{ runId: string; nodes: readonly string[] }>();
  const runId = run?.run_id;
  useEffect(() => {
    if (runId === undefined) return undefined;
    const stream = openRunStream({ runId, modes: ['tasks', 'lifecycle'], subgraphs: true });
    const live = createLiveNodes();
    let position = 0;
    const look = (): void => {
      const { log } = stream.getSnapshot();
      for (position = Math.max(position, log.first); position < log.end; position += 1) {
        const event = log.get(position);
        if (event !== undefined) live.take(event);
      }
      if (live.hasTaskEvents()) setTold({ runId, nodes: live.nodes() });
    };
    const stop = stream.subscribe(look);
    return () => {
      stop();
      stream.close();
    };
  }, [runId]);
  return told?.runId === runId ? told?.nodes : undefined;
}
