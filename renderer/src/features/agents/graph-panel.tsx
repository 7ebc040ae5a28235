import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { agentGraphQuery } from '../../api/queries/agent-graph.ts';
import { AgentGraph } from '../../ui/agent-graph/agent-graph.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { useLiveRun } from './use-live-run.ts';

/** An agent's graph; the active nodes of its newest run are highlighted. A switch shows sub-graphs as single nodes. */
export function GraphPanel({ agentId }: { agentId: string }): ReactNode {
  const [isDeep, setDeep] = useState(true);
  const live = useLiveRun(agentId);
  const deep = useQuery(agentGraphQuery(agentId));
  const flat = useQuery(agentGraphQuery(agentId, { depth: 0 }));
  if (deep.error !== null)
    return (
      <ErrorView
        error={deep.error}
        title="The graph could not be read"
        onRetry={() => void deep.refetch()}
      />
    );
  if (deep.data === undefined) return <PageSkeleton label="Reading the graph" />;
  const hasSubgraphs = flat.data?.nodes.some(({ type }) => type === 'subgraph') ?? false;
  return (
    <AgentGraph
      graph={isDeep ? deep.data : (flat.data ?? deep.data)}
      label={`Graph of ${agentId}`}
      outline="visible"
      activeNodes={live?.nodes}
      {...((hasSubgraphs || live !== undefined) && {
        corner: (
          <div className="agent-graph-live-run">
            {live !== undefined && (
              <Link
                to={`/threads/${encodeURIComponent(live.run.thread_id)}/runs/${live.run.run_id.slice(-36)}`}
              >
                Running on thread {live.run.thread_id}
              </Link>
            )}
            {hasSubgraphs && (
              <Switch
                label="Sub-graphs"
                checked={isDeep}
                onChange={(event) => setDeep(event.currentTarget.checked)}
              />
            )}
          </div>
        ),
      })}
    />
  );
}
