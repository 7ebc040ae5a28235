import {
  Background,
  BaseEdge,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo, type ReactNode } from 'react';
import type { GraphData } from './graph-data.ts';
import './agent-graph.css';
import { layOutAgentGraph, type PositionedNode } from './graph-layout.ts';
import { type GraphFigures, shortFigures } from './node-figures.ts';

interface NodeData extends Record<string, unknown> {
  readonly positioned: PositionedNode;
  readonly isActive: boolean;
  readonly hasFailed: boolean;
}
type GraphNode = Node<NodeData, 'agent'>;

interface GraphDrawingProps {
  readonly graph: GraphData;
  readonly active: ReadonlySet<string>;
  /** Id of the node in which the run failed. */
  readonly failed: string | undefined;
  readonly figures: GraphFigures | undefined;
}

/** An agent's graph, drawn; running nodes are highlighted. */
export function GraphDrawing({ graph, active, failed, figures }: GraphDrawingProps): ReactNode {
  const positioned = useMemo(() => layOutAgentGraph(graph, figures), [graph, figures]);
  const nodes = positioned.map((node): GraphNode => ({
    id: node.id,
    type: 'agent',
    position: { x: node.x, y: node.y },
    width: node.width,
    height: node.height,
    data: { positioned: node, isActive: active.has(node.id), hasFailed: node.id === failed },
    ariaLabel: `${node.name}${active.has(node.id) ? ', running' : node.id === failed ? ', failed' : ''}`,
  }));
  const edges = useMemo(() => edgesOf(graph, positioned), [graph, positioned]);
  return (
    <ReactFlow
      className="agent-graph-flow"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      fitView
      fitViewOptions={{ maxZoom: 1.1, padding: 0.12 }}
      minZoom={0.2}
      maxZoom={2}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      zoomOnScroll={false}
      panOnScroll
      proOptions={{ hideAttribution: true }}
    >
      <Background gap={20} size={1} color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function AgentNode({ data: { positioned, isActive, hasFailed } }: NodeProps<GraphNode>): ReactNode {
  return (
    <div
      className={`graph-node graph-node-${positioned.type}`}
      data-active={isActive || undefined}
      data-failed={hasFailed || undefined}
      style={{ width: positioned.width, height: positioned.height }}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <span>{positioned.name}</span>
      {positioned.figures !== undefined && (
        <small data-failed={positioned.figures.errors > 0 || undefined}>
          {shortFigures(positioned.figures)}
        </small>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** An edge from a node to itself, around its right side. */
function LoopEdge(edge: EdgeProps): ReactNode {
  const { sourceX, sourceY, targetX, targetY, markerEnd, data, label } = edge;
  const out = Number(data?.['width'] ?? 72) / 2 + 18;
  const path = `M${sourceX} ${sourceY}c0 16 ${out} 16 ${out} 0V${targetY}C${targetX + out} ${targetY - 22} ${targetX} ${targetY - 22} ${targetX} ${targetY}`;
  return (
    <BaseEdge
      path={path}
      label={label}
      labelX={sourceX + out}
      labelY={(sourceY + targetY) / 2}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
}

const nodeTypes = { agent: AgentNode };
const edgeTypes = { loop: LoopEdge };

function edgesOf({ edges }: GraphData, positioned: readonly PositionedNode[]): Edge[] {
  const widths = new Map(positioned.map(({ id, width }) => [id, width]));
  return edges.map(({ source, target, conditional, label }, index) => ({
    id: `${index}`,
    source,
    target,
    type: source === target ? 'loop' : 'smoothstep',
    data: { width: widths.get(source) ?? 72 },
    ...(label === undefined ? {} : { label }),
    className: conditional ? 'graph-edge graph-edge-conditional' : 'graph-edge',
    markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: 'var(--text-faint)' },
  }));
}
