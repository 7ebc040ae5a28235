"""Graphs in graphs: without their own state, with one, with questions."""

import operator
from typing import Annotated

from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    notes: Annotated[list[str], operator.add]


class Inner(TypedDict, total=False):
    text: str
    answer: str


def note(text: str):
    return lambda _state: {"notes": [text]}


inner = (
    StateGraph(State)
    .add_node("first", note("inner first"))
    .add_node("second", note("inner second"))
    .add_edge(START, "first")
    .add_edge("first", "second")
    .compile()
)
middle = (
    StateGraph(State)
    .add_node("inner", inner)
    .add_node("after", note("middle after"))
    .add_edge(START, "inner")
    .add_edge("inner", "after")
    .compile()
)
subgraph = (
    StateGraph(State)
    .add_node("before", note("before"))
    .add_node("middle", middle)
    .add_edge(START, "before")
    .add_edge("before", "middle")
    .compile()
)


def ask(state: State) -> State:
    return {"notes": [f"answer: {interrupt({'question': 'Which one?'})}"]}


asking = (
    StateGraph(State)
    .add_node("prepare", note("prepared"))
    .add_node("ask", ask)
    .add_edge(START, "prepare")
    .add_edge("prepare", "ask")
    .compile()
)
subgraph_asks = (
    StateGraph(State)
    .add_node("child", asking)
    .add_node("after", note("after"))
    .add_edge(START, "child")
    .add_edge("child", "after")
    .compile()
)


def count(state: State) -> State:
    return {"notes": [f"note {len(state.get('notes', []))}"]}


remembering = StateGraph(State).add_node("count", count).add_edge(START, "count")
subgraph_remembers = (
    StateGraph(State)
    .add_node("child", remembering.compile(checkpointer=True))
    .add_edge(START, "child")
    .compile()
)


def inner_answer(state: Inner) -> Inner:
    return {"answer": state["text"].upper()}


other_state = StateGraph(Inner).add_node("answer", inner_answer).add_edge(START, "answer").compile()


def call_other(state: State) -> State:
    return {"notes": [other_state.invoke({"text": "as another state"})["answer"]]}


subgraph_called = StateGraph(State).add_node("call", call_other).add_edge(START, "call").compile()


def leave(state: State) -> Command:
    return Command(graph=Command.PARENT, goto="last", update={"notes": ["left"]})


leaving = StateGraph(State).add_node("leave", leave).add_edge(START, "leave").compile()
to_parent = (
    StateGraph(State)
    .add_node("child", leaving, destinations=("last",))
    .add_node("last", note("last"))
    .add_edge(START, "child")
    .compile()
)
