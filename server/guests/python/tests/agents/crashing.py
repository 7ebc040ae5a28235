"""Nodes that do not finish before a file exists: their process is killed meanwhile."""

import operator
import os
import time
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    flag: str
    log: Annotated[list[str], operator.add]


def _wait_for(flag: str) -> None:
    while not os.path.exists(flag):
        time.sleep(0.01)


def first(state: State) -> State:
    return {"log": ["first"]}


def left(state: State) -> State:
    return {"log": ["left"]}


def second(state: State) -> State:
    _wait_for(state["flag"])
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


def ask(state: State) -> State:
    answer = interrupt("?")
    _wait_for(state["flag"])
    return {"log": [answer]}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
asking = builder.compile()
