"""A state with values of many types, and names that a forged checkpoint may try."""

import uuid
from collections import deque, namedtuple
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from os import mkdir
from pathlib import Path, PurePosixPath
from subprocess import Popen
from typing import Any, TypedDict
from zoneinfo import ZoneInfo

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.func import entrypoint, task
from langgraph.graph import StateGraph
from langgraph.types import Send, interrupt
from pydantic import BaseModel, SecretStr

try:
    import numpy
except ImportError:  # not every environment of the tests has it
    numpy = None  # type: ignore[assignment]

KEPT = (mkdir, Popen, PurePosixPath)


class Colour(Enum):
    RED = "red"


class Moment(datetime):
    """As pandas has one."""


Pair = namedtuple("Pair", "left right")


@dataclass
class Point:
    x: int
    more: Any = None


class Plan(BaseModel):
    goal: str
    steps: list[Point] = []
    password: SecretStr = SecretStr("")


class Opener:
    """No data: making one does something."""

    def __init__(self, path: str) -> None:
        mkdir(path)


def make_folder(path: str) -> None:
    mkdir(path)


def hidden_class() -> type:
    @dataclass
    class Hidden:
        a: int = 1

    return Hidden


# A class that no name of the module has; the state's schema leads to it.
HIDDEN = [hidden_class()]


def some_values() -> list[Any]:
    return [
        *([numpy.arange(4).reshape(2, 2)] if numpy else []),
        *(
            Colour.RED,
            Point(1, Point(2)),
            Plan(goal="g", steps=[Point(3)]),
            Pair(1, 2),
            HIDDEN[0](),
        ),
        *(uuid.UUID(int=7), Decimal("1.5"), Path("/a/b"), {1, 2}, frozenset("a"), deque([1])),
        *(datetime(2026, 1, 2, tzinfo=timezone.utc), date(2026, 1, 2), time(3, 4), timedelta(1)),
        *(Moment(2026, 1, 2), ZoneInfo("UTC"), SecretStr("s"), b"bytes", (1, 2)),
        *(HumanMessage("hi"), AIMessage("a")),
        *(Document("d"), Send("node", {"p": Point(5)})),
    ]


class State(TypedDict):
    kept: Any
    copied: Any
    reprs: list[str]
    secret: SecretStr
    hidden: "HIDDEN[0]"  # type: ignore[valid-type]


def make(state: State) -> Any:
    kept = state.get("kept")
    if kept is None:
        return {"kept": some_values()}
    reprs = [repr(one) for one in kept] if isinstance(kept, list) else [repr(kept)]
    return {"copied": kept, "reprs": reprs}


_builder = StateGraph(State)
_builder.add_node("make", make)
_builder.set_entry_point("make")
graph = _builder.compile()


@task
def secret() -> SecretStr:
    return SecretStr("from a task")


@entrypoint()
def functional(_: Any) -> str:
    found = secret().result()
    interrupt("continue?")
    return found.get_secret_value()
