import { VisuallyHidden } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import './agent-graph.css';
import type { GraphData } from './graph-data.ts';
import { GraphDrawing } from './graph-drawing.tsx';
import { activeIds } from './graph-layout.ts';
import { GraphOutline } from './graph-outline.tsx';
import type { GraphFigures } from './node-figures.ts';

interface AgentGraphProps {
  /** What `agentGraphQuery` returns. */
  readonly graph: GraphData;
  /** The drawing's label: "Graph of research". */
  readonly label: string;
  /** Names (or ids) of the nodes that run now. */
  readonly activeNodes?: readonly string[] | undefined;
  /** The node in which a run failed. */
  readonly failedNode?: string | undefined;
  /** Calls, times and failures of the nodes. */
  readonly figures?: GraphFigures | undefined;
  /** The list of nodes: visible next to the drawing, or only for screen readers. */
  readonly outline?: 'visible' | 'hidden';
  /** Shown in the upper right corner of the drawing. */
  readonly corner?: ReactNode;
}

const none: readonly string[] = [];

/** An agent's graph as a drawing and as a list, with the running nodes marked in both. It fills its container. */
export function AgentGraph(props: AgentGraphProps): ReactNode {
  const { graph, label, activeNodes = none, failedNode, figures } = props;
  const { outline = 'hidden', corner } = props;
  const active = useMemo(() => activeIds(graph, activeNodes), [graph, activeNodes]);
  if (graph.nodes.length === 0)
    return <p className="hint">LangGraph cannot draw the graph of this agent.</p>;
  return (
    <div className="agent-graph" data-outline={outline}>
      <div className="agent-graph-drawing" role="group" aria-label={label}>
        {/* A new graph is fitted into view again. */}
        <GraphDrawing
          key={graph.nodes.map(({ id }) => id).join(' ')}
          graph={graph}
          active={active}
          failed={failedNode}
          figures={figures}
        />
        {corner !== undefined && <div className="agent-graph-corner card">{corner}</div>}
      </div>
      <GraphOutline graph={graph} active={active} failed={failedNode} figures={figures} />
      <VisuallyHidden role="status">
        {activeNodes.length === 0 ? '' : `Running: ${activeNodes.join(', ')}`}
      </VisuallyHidden>
    </div>
  );
}
