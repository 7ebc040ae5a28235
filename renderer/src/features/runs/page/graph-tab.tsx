import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import type { Run } from '../../../api/generated/index.ts';
import { createLiveNodes } from '../../../api/live-nodes.ts';
import { agentGraphQuery } from '../../../api/queries/agent-graph.ts';
import { runTraceQuery } from '../../../api/queries/run-trace.ts';
import type { RunStream } from '../../../api/run-stream.ts';
import { AgentGraph } from '../../../ui/agent-graph/agent-graph.tsx';
import { ErrorView } from '../../../ui/error-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { isSettled } from '../run-queries.ts';
import { nodeFigures } from '../trace/node-figures.ts';
import { useFold } from '../events/use-fold.ts';

/** Active nodes are updated at most this often. */
const everyMs = 100;

/** The agent's graph with the active nodes, how often and how long each ran, and where the run failed. */
export function GraphTab({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const graph = useQuery(agentGraphQuery(run.agent_id));
  const trace = useQuery(runTraceQuery(run.run_id, !isSettled(run.status)));
  const spans = trace.data?.spans;
  const figures = useMemo(() => spans && nodeFigures(spans), [spans]);
  const { fold } = useFold(stream, createLiveNodes, everyMs);
  if (graph.error !== null)
    return (
      <ErrorView
        error={graph.error}
        title="The graph could not be read"
        onRetry={() => void graph.refetch()}
      />
    );
  if (graph.data === undefined) return <PageSkeleton label="Reading the graph" />;
  return (
    <AgentGraph
      graph={graph.data}
      label={`Graph of ${run.agent_id}`}
      activeNodes={isSettled(run.status) ? [] : fold.nodes()}
      failedNode={run.error?.node}
      figures={figures}
      outline="visible"
    />
  );
}
