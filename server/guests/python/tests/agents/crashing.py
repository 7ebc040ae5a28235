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


class Memory(TypedDict, total=False):
    flag: str
    call: str
    fails: str
    seen: int


class Calls(TypedDict, total=False):
    flag: str
    fails: str
    seen: Annotated[list[int], operator.add]


def _fail_once(state: Memory, where: str) -> None:
    """At the point that the input names: the number of the call, and before, in or after it."""
    if state["fails"] == f"{state['call']} {where}" and not os.path.exists(state["flag"]):
        with open(state["flag"], "w"):
            raise ValueError(where)


def count(state: Memory) -> Memory:
    return {"seen": state.get("seen", 0) + 1}


def settle(state: Memory) -> Memory:
    _fail_once(state, "in")
    return {}


memory = StateGraph(Memory).add_node("count", count).add_node("settle", settle)
memory = memory.add_edge(START, "count").add_edge("count", "settle").compile(checkpointer=True)


async def call(state: Calls) -> Calls:
    number = str(len(state["seen"]) + 1)
    given: Memory = {"flag": state["flag"], "fails": state["fails"], "call": number}
    _fail_once(given, "before")
    found = await memory.ainvoke(given)
    _fail_once(given, "after")
    return {"seen": [found["seen"]]}


builder = StateGraph(Calls)
builder.add_node("call", call)
builder.add_edge(START, "call")
builder.add_conditional_edges("call", lambda s: END if len(s["seen"]) % 2 == 0 else "call")
remembering = builder.compile()
