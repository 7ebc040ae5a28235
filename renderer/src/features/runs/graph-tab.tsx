import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run } from '../../api/generated/index.ts';
import { createLiveNodes } from '../../api/live-nodes.ts';
import { agentGraphQuery } from '../../api/queries/agent-graph.ts';
import type { RunStream } from '../../api/run-stream.ts';
import { AgentGraph } from '../../ui/agent-graph/agent-graph.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { isSettled } from './run-queries.ts';
import { useFold } from './use-fold.ts';

/** Active nodes are updated at most this often. */
const everyMs = 100;

/** The agent's graph with the active nodes, and where the run failed. */
export function GraphTab({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const graph = useQuery(agentGraphQuery(run.agent_id));
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
      outline="visible"
    />
  );
}
