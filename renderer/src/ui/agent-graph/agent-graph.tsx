import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { getAgentGraphOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { ErrorView } from '../error-view.tsx';
import { PageSkeleton } from '../page-skeleton.tsx';
import './agent-graph.css';
import { GraphDrawing } from './graph-drawing.tsx';
import { activeIds } from './graph-layout.ts';
import { GraphOutline } from './graph-outline.tsx';

interface AgentGraphProps {
  readonly agentId: string;
  /** Names (or ids) of the nodes that run now. */
  readonly activeNodes?: readonly string[] | undefined;
  /** Where the list of nodes stands: seen beside the drawing, or only read out. */
  readonly outline?: 'beside' | 'unseen';
}

const none: readonly string[] = [];

/** An agent's graph as a drawing and as a list, with the nodes that run now marked in both. It fills its place. */
export function AgentGraph({ agentId, activeNodes = none, outline }: AgentGraphProps): ReactNode {
  const [isDeep, setDeep] = useState(true);
  const depth = isDeep ? 3 : 0;
  const query = useQuery({
    ...getAgentGraphOptions({ path: { name: agentId }, query: { depth } }),
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  const flat = useQuery({
    ...getAgentGraphOptions({ path: { name: agentId }, query: { depth: 0 } }),
    staleTime: 60_000,
  });
  const graph = query.data;
  const active = useMemo(
    () => (graph === undefined ? new Set<string>() : activeIds(graph, activeNodes)),
    [graph, activeNodes],
  );
  if (query.error !== null)
    return (
      <ErrorView
        error={query.error}
        title="The graph could not be read"
        onRetry={() => void query.refetch()}
      />
    );
  if (graph === undefined) return <PageSkeleton label="Reading the graph" />;
  if (graph.nodes.length === 0)
    return <p className="agent-graph-note">LangGraph cannot draw the graph of this agent.</p>;
  const hasSubgraphs = flat.data?.nodes.some(({ type }) => type === 'subgraph') ?? false;
  return (
    <div className="agent-graph" data-outline={outline ?? 'unseen'}>
      <div className="agent-graph-drawing" role="group" aria-label={`Graph of ${agentId}`}>
        <GraphDrawing
          key={`${agentId} ${depth} ${graph.nodes.length}`}
          graph={graph}
          active={active}
        />
        {hasSubgraphs && (
          <Switch
            className="agent-graph-depth"
            label="Sub-graphs"
            checked={isDeep}
            onChange={(event) => setDeep(event.currentTarget.checked)}
          />
        )}
      </div>
      <GraphOutline graph={graph} active={active} />
      <span className="agent-graph-live" role="status">
        {activeNodes.length === 0 ? '' : `Running: ${activeNodes.join(', ')}`}
      </span>
    </div>
  );
}
