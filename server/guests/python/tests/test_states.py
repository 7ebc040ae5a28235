"""A thread's states with what runs next, as LangGraph reports them; events of what runs."""

import json
from typing import Any

from .guest_process import GuestProcess, read_request, request, update_request


def states(guest: GuestProcess, agent: str, thread_id: str, **more: Any) -> list[Any]:
    response = guest.read_states(read_request(agent, thread_id, **more))
    assert not response.HasField("error"), response.error
    return [json.loads(text) for text in response.states_json]


def test_a_thread_without_a_checkpoint(guest: GuestProcess, thread_id: str) -> None:
    (state,) = states(guest, "counting", thread_id)
    assert (state["values"], state["next"], state["tasks"]) == ({}, [], [])
    assert "checkpoint_id" not in state["checkpoint"]


def test_a_question_is_shown_with_its_task(guest: GuestProcess, thread_id: str) -> None:
    asked = guest.invoke(request("asking", thread_id, input={"n": 1}))
    (state,) = states(guest, "asking", thread_id)
    (task,) = state["tasks"]
    assert (state["next"], state["interrupts"]) == ([task["name"]], asked.interrupts)
    assert (task["interrupts"], task["error"], task["state"]) == (asked.interrupts, None, None)


def test_a_failure_is_shown_with_its_task(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("failing", thread_id, input={"n": 1}))
    (state,) = states(guest, "failing", thread_id)
    assert any(task["error"] for task in state["tasks"])


def test_a_history_is_read_in_parts(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    whole = states(guest, "counting", thread_id, history=10)
    assert [state["next"] for state in whole] == [[], ["two"], ["one"], ["__start__"]]
    checkpoints = [state["checkpoint"] for state in whole]
    parents = [state["parent_checkpoint"] for state in whole]
    assert parents == [*checkpoints[1:], None]
    second = checkpoints[1]["checkpoint_id"]
    older = states(guest, "counting", thread_id, history=1, before_checkpoint_id=second)
    assert older == [whole[2]]
    found = states(guest, "counting", thread_id, history=5, filter_json='{"source":"input"}')
    assert found == [whole[3]]
    at = {"checkpoint_id": second}
    assert states(guest, "counting", thread_id, configurable=at) == [whole[1]]


def test_a_sub_graph_is_shown_within_its_task(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("asking_parent", thread_id, input={"n": 1}))
    (outer,) = states(guest, "asking_parent", thread_id)
    (task,) = outer["tasks"]
    assert task["checkpoint"]["checkpoint_ns"].startswith(f"{task['name']}:")
    (whole,) = states(guest, "asking_parent", thread_id, subgraphs=True)
    (inner,) = whole["tasks"]
    assert inner["state"]["next"] == [inner["state"]["tasks"][0]["name"]]


def test_an_update_as_a_node_decides_what_is_next(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    guest.update_state(update_request("counting", thread_id, {"n": 7}, as_node="one", plain=True))
    (state,) = states(guest, "counting", thread_id)
    assert (state["values"]["n"], state["next"]) == (7, ["two"])


def test_an_unknown_agent(guest: GuestProcess, thread_id: str) -> None:
    error = guest.read_states(read_request("nobody", thread_id)).error
    assert error.code == "agent_not_found"


def test_events_come_beside_the_chunks(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("counting", thread_id, input={"n": 1}, stream_modes=["events", "updates"])
    outcome = guest.invoke(wanted)
    names = [(event["event"], event["name"]) for event in outcome.of("events")]
    assert names[0] == ("on_chain_start", "counting")
    assert ("on_chain_end", "two") in names
    assert ("on_chain_stream", "counting") not in names
    assert [list(update) for update in outcome.of("updates")] == [["one"], ["two"]]
    assert outcome.end.status == "completed"
