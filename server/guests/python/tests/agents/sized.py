"""Grows its state, or raises a long message."""

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    write: int
    message: int
    chained: bool
    blob: str


def grow(state: State) -> State:
    if message := state.get("message"):
        if state.get("chained"):
            try:
                raise RuntimeError("x" * message)
            except RuntimeError as error:
                raise ValueError("short") from error
        raise RuntimeError("x" * message)
    return {"blob": "y" * state["write"]}


graph = StateGraph(State).add_node(grow).add_edge(START, "grow").compile()
