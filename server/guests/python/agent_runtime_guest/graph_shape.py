"""The shape of an agent's graph, for Describe."""

from typing import Any

from .agents import Agent
from .projection import to_json

_ENDS = {"__start__": "start", "__end__": "end"}


async def graph_json(agent: Agent, depth: int) -> str:
    """Nodes and edges as JSON; none where LangGraph cannot draw the graph, or a factory needs a
    config."""
    shape: dict[str, list[Any]] = {"nodes": [], "edges": []}
    try:
        async with agent.graph({"configurable": {}}, "assistants.read") as graph:
            shape = _shape(graph, depth)
    except (Exception, SystemExit):
        pass
    return to_json(shape).decode()


def _shape(graph: Any, depth: int) -> dict[str, list[Any]]:
    drawn = graph.get_graph(xray=depth or False)
    sub_graphs = {name for name, _ in graph.get_subgraphs()}
    nodes = []
    for node in drawn.nodes.values():
        kind = _ENDS.get(node.id) or ("subgraph" if node.id in sub_graphs else "node")
        metadata = {"metadata": node.metadata} if node.metadata else {}
        nodes.append({"id": node.id, "type": kind, "name": node.name, **metadata})
    edges = []
    for edge in drawn.edges:
        label = {} if edge.data is None else {"label": str(edge.data)}
        ends = {"source": edge.source, "target": edge.target}
        edges.append({**ends, "conditional": bool(edge.conditional), **label})
    return {"nodes": nodes, "edges": edges}
