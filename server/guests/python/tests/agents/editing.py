"""Graphs whose threads are edited between runs."""

import operator
from pathlib import Path
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    messages: list
    n: int
    log: Annotated[list[str], operator.add]
    file: str


class Question(TypedDict):
    n: int


def note(name: str) -> Any:
    return lambda state: {"log": [f"{name} {state.get('n')}"]}


def ask(state: State) -> State:
    return {"log": [f"{interrupt('ask?')} {state.get('n')}"]}


def ask_twice(state: State) -> State:
    return {"log": [f"{interrupt('first?')} {interrupt('second?')} {state.get('n')}"]}


def fail_first(state: State) -> State:
    if not Path(state["file"]).exists():
        raise RuntimeError("not yet")
    return {"log": [f"fail_first {state.get('n')}"]}


# Two nodes of one step: LangGraph cannot infer which of them wrote last.
parallel = StateGraph(State)
parallel.add_node("left", note("left"))
parallel.add_node("right", note("right"))
parallel.add_node("after_left", note("after_left"))
parallel.add_node("after_right", note("after_right"))
parallel.add_node("both", note("both"), defer=True)
parallel.add_edge(START, "left")
parallel.add_edge(START, "right")
parallel.add_edge("left", "after_left")
parallel.add_edge("right", "after_right")
parallel.add_edge("after_left", "both")
parallel.add_edge("after_right", "both")
parallel.add_edge("both", END)
parallel = parallel.compile()

# A node that has finished beside one that asks.
asking = StateGraph(State)
asking.add_node("done", note("done"))
asking.add_node("ask", ask)
asking.add_node("end", note("end"))
asking.add_edge(START, "done")
asking.add_edge(START, "ask")
asking.add_edge(["done", "ask"], "end")
asking.add_edge("end", END)
asking = asking.compile()

asking_twice = StateGraph(State)
asking_twice.add_node("ask_twice", ask_twice)
asking_twice.add_edge(START, "ask_twice")
asking_twice = asking_twice.compile()

failing = StateGraph(State)
failing.add_node("first", note("first"))
failing.add_node("done", note("done"))
failing.add_node("fail_first", fail_first)
failing.add_edge(START, "first")
failing.add_edge("first", "done")
failing.add_edge("first", "fail_first")
failing = failing.compile()

sending = StateGraph(State)
sending.add_node("start", note("start"))
sending.add_node("ask_one", lambda state: {"log": [f"{state['n']}:{interrupt(state['n'])}"]})
sending.add_edge(START, "start")
sending.add_conditional_edges(
    "start", lambda _: [Send("ask_one", {"n": n}) for n in (1, 2)], ["ask_one"]
)
sending = sending.compile()

inner = StateGraph(State)
inner.add_node("before", note("before"))
inner.add_node("ask", ask)
inner.add_edge(START, "before")
inner.add_edge("before", "ask")
middle = StateGraph(State)
middle.add_node("inner", inner.compile())
middle.add_edge(START, "inner")
nested = StateGraph(State)
nested.add_node("middle", middle.compile())
nested.add_edge(START, "middle")
nested = nested.compile()

# Its entry depends on the state.
branching = StateGraph(State)
branching.add_node("small", note("small"))
branching.add_node("large", note("large"))
branching.add_conditional_edges(START, lambda state: "large" if state["n"] > 9 else "small")
branching = branching.compile()
