import type { Graph } from './graph.ts';

/** What people see of a graph. */
export interface GraphShape {
  nodes: { id: string; type: string; name: string; metadata?: unknown }[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
}

/** LangGraph's drawing, as its toJSON gives it. */
interface Drawing {
  nodes: { id: string | number; data?: { name?: unknown }; metadata?: unknown }[];
  edges: {
    source: string | number;
    target: string | number;
    data?: unknown;
    conditional?: boolean;
  }[];
}

const ends: Readonly<Record<string, string>> = { __start__: 'start', __end__: 'end' };

/** Nodes and edges of a graph, with so many levels of sub-graphs drawn from within. */
export async function graphShape(graph: Graph, depth: number): Promise<GraphShape> {
  const drawable = await graph.getGraphAsync(depth > 0 ? { xray: depth } : {});
  const { nodes, edges } = drawable.toJSON() as Drawing; // see there
  const subGraphs = new Set<string>();
  for await (const [name] of graph.getSubgraphsAsync()) subGraphs.add(name);
  return {
    nodes: nodes.map(({ id: drawnId, metadata }) => {
      const id = nameOf(drawnId);
      const type = ends[id] ?? (subGraphs.has(id) ? 'subgraph' : 'node');
      const hasMetadata = typeof metadata === 'object' && Object.keys(metadata ?? {}).length > 0;
      return { id, type, name: id, ...(hasMetadata ? { metadata } : {}) };
    }),
    edges: edges.map(({ source, target, data, conditional }) => ({
      source: nameOf(source),
      target: nameOf(target),
      conditional: conditional === true,
      ...(typeof data === 'string' ? { label: data } : {}),
    })),
  };
}

/** LangGraph.js writes a node's name as Mermaid wants it: `"end"` in quotes. */
function nameOf(id: string | number): string {
  const text = String(id);
  return /^".*"$/.test(text) ? text.slice(1, -1) : text;
}
