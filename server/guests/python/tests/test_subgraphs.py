"""Sub-graphs inherit the saver, however they are called."""

import json

import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_a_sub_graph_keeps_its_checkpoints_in_a_namespace(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("parent", thread_id, input={"n": 1}, head_known=True)
    guest.invoke(wanted)
    (below,) = host.namespaces(thread_id) - {""}
    assert below.startswith("child:")
    head = host.head(thread_id, below)
    state = {b.channel: json.loads(b.json) for b in head.blobs if b.HasField("json")}
    assert state == {"n": 101, "log": ["inner"]}
    # The thread was empty: nothing had to be asked for.
    assert host.loads[wanted.token] == []


@pytest.mark.parametrize("agent", ["blocking_parent", "threaded_parent"])
@pytest.mark.parametrize("durability", ["async", "sync"])
def test_a_sub_graph_called_from_a_node_may_block(
    guest: GuestProcess, host: MemoryHost, thread_id: str, agent: str, durability: str
) -> None:
    wanted = request(agent, thread_id, input={"n": 1}, durability=durability)
    done = guest.invoke(wanted)
    assert (done.end.status, done.output["n"]) == ("completed", 101)
    assert len(host.namespaces(thread_id)) == 2


def test_a_sub_graph_without_a_saver_keeps_nothing(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("forgetting", thread_id, input={"n": 1}))
    assert host.namespaces(thread_id) == {""}


def test_a_sub_graph_with_its_own_saver_remembers_between_runs(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    for _ in range(2):
        guest.invoke(request("remembering_parent", thread_id, input={"n": 1, "log": []}))
    assert host.namespaces(thread_id) == {"", "child"}
    state = {b.channel: b.json for b in host.head(thread_id, "child").blobs if b.HasField("json")}
    # Its own from the first run, the parent's as input, its own from the second.
    assert json.loads(state["log"]) == ["visit"] * 3


def test_a_question_below_is_asked_once_when_sub_graphs_stream(
    guest: GuestProcess, thread_id: str
) -> None:
    wanted = request(
        "asking_parent",
        thread_id,
        input={"n": 1},
        stream_modes=["updates", "values"],
        stream_subgraphs=True,
    )
    asked = guest.invoke(wanted)
    assert [i["value"] for i in asked.interrupts] == [{"question": "how many?"}]
    assert asked.output["__interrupt__"] == asked.interrupts
