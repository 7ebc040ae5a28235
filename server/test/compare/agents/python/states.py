"""Forms of states: pydantic, dataclass, schemas for input and output, private members, reducers."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, Any

from langgraph.graph import START, StateGraph
from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class Person(BaseModel):
    """A person."""

    name: str
    age: int = 1


class PydanticState(BaseModel):
    """What is known."""

    person: Person
    notes: Annotated[list[str], operator.add] = Field(default_factory=list)


def greet(state: PydanticState) -> dict:
    return {"notes": [f"{type(state.person).__name__} {state.person.name}"]}


def grow(state: PydanticState) -> dict:
    return {"person": Person(name=state.person.name, age=state.person.age + 1)}


pydantic_state = (
    StateGraph(PydanticState)
    .add_node(greet)
    .add_node(grow)
    .add_edge(START, "greet")
    .add_edge("greet", "grow")
    .compile()
)


@dataclass(kw_only=True)
class Asked:
    """What is given."""

    topic: str
    depth: int = 2


@dataclass(kw_only=True)
class DataclassState(Asked):
    """What the graph works with."""

    found: list[str] = field(default_factory=list)
    answer: str = ""


class Returned(TypedDict):
    answer: str


class Private(TypedDict):
    secret: str


def find(state: Asked) -> dict:
    return {"found": [f"{state.topic} {number}" for number in range(state.depth)], "secret": "s"}


def show(state: DataclassState) -> dict:
    return {"answer": ", ".join(state.found)}


def hide(state: Private) -> dict:
    return {"answer": f"with {state['secret']}"}


dataclass_state = (
    StateGraph(DataclassState, input_schema=Asked, output_schema=Returned)
    .add_node(find)
    .add_node(hide, input_schema=Private)
    .add_node(show)
    .add_edge(START, "find")
    .add_edge("find", "hide")
    .add_edge("hide", "show")
    .compile()
)


def merge(left: dict | None, right: dict | None) -> dict:
    return {**(left or {}), **(right or {})}


class Reduced(TypedDict, total=False):
    total: Annotated[int, operator.add]
    seen: Annotated[dict[str, Any], merge]
    last: Any


def plain(_: Reduced) -> Reduced:
    """Values of many kinds."""
    return {
        "total": 2,
        "seen": {"b": [1, 2.5, None, True], "ä": {"deep": {"er": "✓"}}},
        "last": ("a", {"set"}, b"bytes"),
    }


def big(_: Reduced) -> Reduced:
    return {"total": 2**60, "last": {"text": "x" * 100_000, "list": list(range(1000))}}


reducers = (
    StateGraph(Reduced)
    .add_node(plain)
    .add_node(big)
    .add_edge(START, "plain")
    .add_edge("plain", "big")
    .compile()
)
