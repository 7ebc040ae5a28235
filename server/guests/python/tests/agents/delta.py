"""A delta channel, in the root graph and in a sub-graph that is reached from inside a node."""

from typing import Annotated

from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


def joined(state: list, writes: list) -> list:
    return state + [item for write in writes for item in write]


class State(TypedDict, total=False):
    items: Annotated[list, DeltaChannel(joined, snapshot_frequency=50)]
    other: int


def add(state: State) -> State:
    return {"items": [len(state["items"])]}


def leave_alone(state: State) -> State:
    return {"other": 1}


def ask(state: State) -> State:
    return {"items": [interrupt("?")]}


builder = StateGraph(State)
builder.add_node("add", add)
builder.add_node("leave_alone", leave_alone)
builder.add_edge(START, "add")
builder.add_edge("add", "leave_alone")
builder.add_edge("leave_alone", END)
graph = builder.compile()

inner_builder = StateGraph(State)
inner_builder.add_node("add", add)
inner_builder.add_node("ask", ask)
inner_builder.add_edge(START, "add")
inner_builder.add_edge("add", "ask")
inner = inner_builder.compile()


async def call(state: State) -> State:
    result = await inner.ainvoke({"items": ["in"]})
    return {"items": [result["items"]]}


outer_builder = StateGraph(State)
outer_builder.add_node("call", call)
outer_builder.add_edge(START, "call")
outer = outer_builder.compile()
