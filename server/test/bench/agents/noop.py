"""Does nothing: the rest is the service itself."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict):
    count: int


async def noop(state: State) -> State:
    return {"count": state.get("count", 0) + 1}


graph = (
    StateGraph(State).add_node("noop", noop).add_edge(START, "noop").add_edge("noop", END).compile()
)
