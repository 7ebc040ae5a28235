"""Writes a value of a given size at every step: what is measured is the save."""

import random

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

LETTERS = "abcdefghijklmnopqrstuvwxyz 0123456789"


class State(TypedDict):
    size: int
    steps: int
    text: str
    ballast: str


async def write(state: State) -> dict[str, object]:
    block = "".join(random.choices(LETTERS, k=min(state["size"], 4_096)))
    text = (block * (state["size"] // len(block) + 1))[: state["size"]]
    return {"text": text, "steps": state["steps"] - 1}


def is_done(state: State) -> str:
    return "write" if state["steps"] > 0 else "__end__"


graph = (
    StateGraph(State)
    .add_node("write", write)
    .add_edge(START, "write")
    .add_conditional_edges("write", is_done)
    .compile()
)
