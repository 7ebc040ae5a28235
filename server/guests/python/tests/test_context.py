"""`context` of a run by each kind of schema, as LangGraph's own server gives it to the graph."""

import json
from typing import Any

import pytest

from .guest_process import GuestProcess, request


def read(guest: GuestProcess, agent: str, thread_id: str, context: Any = None, **more: Any) -> Any:
    given = {} if context is None else {"context_json": json.dumps(context)}
    done = guest.invoke(request(f"context_{agent}", thread_id, input={}, **given, **more))
    error = done.end.error
    return (error.type, error.message) if done.end.status == "error" else done.output


@pytest.mark.parametrize(
    ("agent", "context", "seen", "shown"),
    [
        (
            "none",
            {"tone": "warm", "odd": 1},
            {"tone": "warm", "odd": 1},
            {"tone": "warm", "odd": 1},
        ),
        ("typed", {"tone": "warm", "odd": 1}, {"tone": "warm"}, {"tone": "warm"}),
        (
            "defaulted",
            {"tone": "warm", "odd": 1},
            {"tone": "warm", "n": 3, "tags": []},
            {"tone": "warm"},
        ),
        ("defaulted", {}, {"tone": "plain", "n": 3, "tags": []}, {}),
        ("defaulted", None, {"tone": "plain", "n": 3, "tags": []}, {}),
        ("demanding", {"tone": "warm"}, {"tone": "warm"}, {"tone": "warm"}),
        ("checked", {"theTone": "warm", "odd": 1}, {"tone": "warm", "n": 3}, {"theTone": "warm"}),
        ("checked", {"n": "7"}, {"tone": "plain", "n": 7}, {"n": "7"}),
        ("factory", {"tone": "warm"}, {"tone": "warm", "n": 3, "tags": []}, {"tone": "warm"}),
        ("outer", {"n": 9}, {"tone": "plain", "n": 9, "tags": []}, {"n": 9}),
    ],
)
def test_a_node_finds_the_context_of_its_schema(
    guest: GuestProcess, thread_id: str, agent: str, context: Any, seen: Any, shown: Any
) -> None:
    output = read(guest, agent, thread_id, context)
    assert (output["context"], output["shown"]) == (seen, shown)


def test_a_context_that_the_schema_refuses_is_an_error_of_the_agent(
    guest: GuestProcess, thread_id: str
) -> None:
    kind, message = read(guest, "checked", thread_id, {"n": "many"})
    assert (kind, "unable to parse string as an integer" in message) == ("ValidationError", True)
    kind, message = read(guest, "demanding", thread_id)
    assert (kind, "missing 1 required positional argument: 'tone'" in message) == (
        "TypeError",
        True,
    )


def test_configurable_stays_what_it_was(guest: GuestProcess, thread_id: str) -> None:
    """A run without a context has what is under `configurable`, of which nothing is dropped."""
    own = {"tone": "warm", "odd": 1}
    output = read(guest, "typed", thread_id, own, configurable=own)
    assert (output["context"], output["shown"]) == ({"tone": "warm"}, own)


def test_a_context_has_no_keys_of_a_checkpoint(guest: GuestProcess, thread_id: str) -> None:
    output = read(guest, "none", thread_id, {"thread_id": "another", "checkpoint_id": "c"})
    assert output["context"] == {"thread_id": "another", "checkpoint_id": "c"}
    assert output["shown"] == {}


def test_the_schema_of_the_context_is_described(guest: GuestProcess) -> None:
    def schema(agent: str) -> Any:
        name = f"context_{agent}"
        text = guest.describe(name, schemas=True)[name].context_schema_json
        return sorted(json.loads(text)["properties"]) if text else None

    names = {agent: schema(agent) for agent in ("none", "typed", "defaulted", "checked")}
    assert names == {
        "none": None,
        "typed": ["tone"],
        "defaulted": ["n", "tags", "tone"],
        "checked": ["n", "theTone"],
    }
