/** A graph as guests draw it. */
export interface GraphShape {
  nodes: { id: string; type: string; name: string; metadata?: unknown }[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
}

/** The drawing in the form of LangChain's `Graph.to_json`. */
export function presentDrawing({ nodes, edges }: GraphShape): object {
  return {
    nodes: nodes.map(({ id, name, metadata }) => ({
      id,
      type: 'runnable',
      data: { id: ['langgraph', '_internal', '_runnable', 'RunnableCallable'], name },
      ...(metadata === undefined ? {} : { metadata }),
    })),
    edges: edges.map(({ source, target, conditional, label }) => ({
      source,
      target,
      ...(label === undefined ? {} : { data: label }),
      ...(conditional ? { conditional } : {}),
    })),
  };
}

/** Names of the nodes that are sub-graphs. */
export function nestedGraphs({ nodes }: GraphShape): string[] {
  return nodes.filter(({ type }) => type === 'subgraph').map(({ id }) => id);
}
