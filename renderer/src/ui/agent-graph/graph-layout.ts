import { graphlib, layout } from '@dagrejs/dagre';
import type { GraphData } from './graph-data.ts';
import { type GraphFigures, type NodeFigures, shortFigures } from './node-figures.ts';

export interface PositionedNode {
  readonly id: string;
  readonly name: string;
  readonly type: GraphData['nodes'][number]['type'];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly figures: NodeFigures | undefined;
}

const characterWidth = 7.3;
const nodeHeight = 28;
const figuresHeight = 16;

/** The position of every node of a graph, in layers from its start to its end. Its figures are below its name. */
export function layOutAgentGraph(
  { nodes, edges }: GraphData,
  figures?: GraphFigures,
): PositionedNode[] {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 32, ranksep: 44, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) {
    const counted = figures?.get(node.id);
    const texts = [shownName(node), ...(counted === undefined ? [] : [shortFigures(counted)])];
    const length = Math.max(...texts.map((text) => text.length));
    graph.setNode(node.id, {
      width: Math.max(72, Math.round(length * characterWidth) + 32),
      height: nodeHeight + (counted === undefined ? 0 : figuresHeight),
    });
  }
  edges.forEach(({ source, target, label = '' }, index) => {
    const width = label.length * 6;
    graph.setEdge(source, target, { width, height: width === 0 ? 0 : 16 }, String(index));
  });
  layout(graph);
  return nodes.map((node) => {
    const { x = 0, y = 0, width = 72, height = nodeHeight } = graph.node(node.id);
    const { id, type } = node;
    return {
      id,
      type,
      name: shownName(node),
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      figures: figures?.get(id),
    };
  });
}

/** A node's name, with the sub-graph that it is in; LangGraph's own two are shown as words. */
export function shownName({ id, name, type }: GraphData['nodes'][number]): string {
  if (type === 'start') return 'start';
  if (type === 'end') return 'end';
  return id.includes(':') ? id.replaceAll(':', ' / ') : name;
}

/** The running nodes of a graph: by id, or by their name within a sub-graph. */
export function activeIds({ nodes }: GraphData, active: readonly string[]): ReadonlySet<string> {
  const names = new Set(active);
  return new Set(
    nodes
      .filter(({ id, name }) => names.has(id) || names.has(name) || isAround(id, names))
      .map(({ id }) => id),
  );
}

/** A node of a sub-graph is active when only the node around it is known to run. */
function isAround(id: string, names: ReadonlySet<string>): boolean {
  return id.includes(':') && names.has(id.slice(0, id.indexOf(':'))) && names.size === 1;
}
