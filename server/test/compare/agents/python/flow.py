"""The ways through a graph: Send, Command, conditional edges, deferred nodes, branches."""

import operator
from typing import Annotated, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    words: list[str]
    notes: Annotated[list[str], operator.add]


class One(TypedDict):
    word: str


def spread(state: State) -> list[Send]:
    return [Send("work", {"word": word}) for word in state.get("words", [])]


def work(state: One) -> State:
    return {"notes": [state["word"].upper()]}


def collect(state: State) -> State:
    return {"notes": [f"{len(state['notes'])} in all"]}


map_reduce = (
    StateGraph(State)
    .add_node("work", work)
    .add_node("collect", collect)
    .add_conditional_edges(START, spread, ["work"])
    .add_edge("work", "collect")
    .compile()
)


def choose(state: State) -> Command[Literal["left", "right", "__end__"]]:
    way = (state.get("words") or ["left"])[0]
    if way == "end":
        return Command(goto=END, update={"notes": ["ended"]})
    if way == "both":
        return Command(goto=["left", Send("right", {"notes": []})], update={"notes": ["both"]})
    return Command(goto=way, update={"notes": [f"to {way}"]})


commands = (
    StateGraph(State)
    .add_node("choose", choose)
    .add_node("left", lambda _: {"notes": ["left"]})
    .add_node("right", lambda _: {"notes": ["right"]})
    .add_edge(START, "choose")
    .compile()
)

deferred = (
    StateGraph(State)
    .add_node("a", lambda _: {"notes": ["a"]})
    .add_node("b", lambda _: {"notes": ["b"]})
    .add_node("b2", lambda _: {"notes": ["b2"]})
    .add_node("end", lambda _: {"notes": ["end"]}, defer=True)
    .add_edge(START, "a")
    .add_edge("a", "b")
    .add_edge("b", "b2")
    .add_edge("a", "end")
    .add_edge("b2", "end")
    .compile()
)
