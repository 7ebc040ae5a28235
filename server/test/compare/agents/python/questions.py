"""Questions to people: one, several in a node or side by side, breakpoints."""

import operator
from typing import Annotated

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    notes: Annotated[list[str], operator.add]
    number: int


def one(_: State) -> State:
    return {"notes": [f"answer: {interrupt({'question': 'Is it good?', 'options': [1, 2]})}"]}


ask = (
    StateGraph(State)
    .add_node("before", lambda _: {"notes": ["before"]})
    .add_node("one", one)
    .add_node("after", lambda _: {"notes": ["after"]})
    .add_edge(START, "before")
    .add_edge("before", "one")
    .add_edge("one", "after")
    .compile()
)


def until_valid(_: State) -> State:
    question = "A number?"
    while True:
        answer = interrupt(question)
        if isinstance(answer, int):
            return {"number": answer}
        question = f"{answer!r} is not a number. A number?"


ask_until_valid = (
    StateGraph(State).add_node("until_valid", until_valid).add_edge(START, "until_valid").compile()
)


def asking(name: str):
    # Of nodes in threads, either may ask first.
    async def ask(_: State) -> State:
        return {"notes": [f"{name}: {interrupt(name)}"]}

    return ask


ask_in_parallel = (
    StateGraph(State)
    .add_node("a", asking("a"))
    .add_node("b", asking("b"))
    .add_node("end", lambda _: {"notes": ["end"]})
    .add_edge(START, "a")
    .add_edge(START, "b")
    .add_edge(["a", "b"], "end")
    .compile()
)

breakpoints = (
    StateGraph(State)
    .add_node("a", lambda _: {"notes": ["a"]})
    .add_node("b", lambda _: {"notes": ["b"]})
    .add_node("c", lambda _: {"notes": ["c"]})
    .add_edge(START, "a")
    .add_edge("a", "b")
    .add_edge("b", "c")
    .compile(interrupt_before=["b"])
)
