"""Dies in its second node until a file exists."""

import operator
import os
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    flag: str
    log: Annotated[list[str], operator.add]


def _die_without(flag: str) -> None:
    if not os.path.exists(flag):
        os._exit(9)


def first(state: State) -> State:
    return {"log": ["first"]}


def left(state: State) -> State:
    return {"log": ["left"]}


def second(state: State) -> State:
    import time

    time.sleep(0.3)  # lets the neighbour's pending write reach the host
    _die_without(state["flag"])
    return {"log": ["second"]}


builder = StateGraph(State)
builder.add_node("first", first)
builder.add_node("left", left)
builder.add_node("second", second)
builder.add_edge(START, "first")
builder.add_edge("first", "left")
builder.add_edge("first", "second")
builder.add_edge("left", END)
graph = builder.compile()


def ask_then_die(state: State) -> State:
    one = interrupt("one?")
    import time

    time.sleep(0.3)
    _die_without(state["flag"])
    two = interrupt("two?")
    return {"log": [f"{one},{two}"]}


builder = StateGraph(State)
builder.add_node("ask_then_die", ask_then_die)
builder.add_edge(START, "ask_then_die")
asking = builder.compile()
