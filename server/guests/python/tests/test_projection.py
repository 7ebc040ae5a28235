"""Any value has a JSON form."""

import dataclasses
import json
from collections import deque, namedtuple
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import ToolMessage
from langgraph.types import Send
from pydantic import BaseModel

from agent_runtime_guest import projection
from agent_runtime_guest.projection import to_json


@dataclasses.dataclass
class Point:
    x: int
    tags: set[str]


class Model(BaseModel):
    at: datetime
    inner: dict[str, Any]


class Colour(Enum):
    RED = "red"


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


Pair = namedtuple("Pair", ["a", "b"])
NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
CYCLE: list[Any] = []
CYCLE.append(CYCLE)

CASES = [
    (None, None),
    ({"a": [1, "x", True]}, {"a": [1, "x", True]}),
    (Point(1, {"t"}), {"x": 1, "tags": ["t"]}),
    (
        Model(at=NOON, inner={"b": b"\x00"}),
        {"at": "2026-01-02T12:00:00+00:00", "inner": {"b": "AA=="}},
    ),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (Colour.RED, "red"),
    (Pair(1, 2), {"a": 1, "b": 2}),
    (deque([1]), [1]),
    (timedelta(seconds=90), 90.0),
    (Decimal("1.50"), "1.50"),
    (float("inf"), None),
    (2**80, 2**80),
    ("lone \ud800", "lone ?"),
    (
        {(1, 2): "tuple", 3: "number", None: "none"},
        {"(1, 2)": "tuple", "3": "number", "null": "none"},
    ),
    (ValueError("bad"), {"error": "ValueError", "message": "bad"}),
    (Rude(), "<Rude>"),
]


@pytest.mark.parametrize("without_orjson", [False, True])
@pytest.mark.parametrize(("value", "wanted"), CASES)
def test_it_is_langgraphs_form(
    value: Any, wanted: Any, without_orjson: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without_orjson:
        monkeypatch.setattr(projection, "orjson", None)
    assert json.loads(to_json(value)) == wanted


def test_messages_are_dumped_with_their_type() -> None:
    dumped = json.loads(to_json([ToolMessage("ok", tool_call_id="t1", id="m1")]))[0]
    assert {k: dumped[k] for k in ("type", "content", "id", "tool_call_id")} == {
        "type": "tool",
        "content": "ok",
        "id": "m1",
        "tool_call_id": "t1",
    }


@pytest.mark.parametrize("value", [CYCLE, print, Model, object(), Send("n", {"a": 1}), lambda: 1])
def test_the_rest_becomes_text_and_never_raises(value: Any) -> None:
    json.loads(to_json(value))


def test_deep_nesting_ends_somewhere() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    json.loads(to_json(deep))
