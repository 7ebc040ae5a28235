"""A thread's state, changed between its runs."""

import json
from pathlib import Path
from typing import Any

from .guest_process import GuestProcess, request, update_request
from .host import MemoryHost

Updated = dict[str, Any]


def set_values(guest: GuestProcess, agent: str, thread_id: str, values: Any, **more: Any) -> Any:
    response = guest.update_state(update_request(agent, thread_id, values, **more))
    assert not response.HasField("error"), response.error
    return json.loads(response.values_json)


def metadata_of(host: MemoryHost, thread_id: str) -> Any:
    return json.loads(host.head(thread_id).metadata_json)


def test_a_key_is_set_whatever_its_reducer(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    parent = host.head(thread_id)
    state = set_values(guest, "counting", thread_id, {"log": ["mine"], "n": 5})
    assert state == {"n": 5, "log": ["mine"]}
    head = host.head(thread_id)
    assert head.parent_checkpoint_id == parent.checkpoint_id
    assert {b.channel: b.json for b in head.blobs if b.HasField("json")} == {
        "log": '["mine"]',
        "n": "5",
    }
    metadata = metadata_of(host, thread_id)
    assert (metadata["source"], "run_id" in metadata) == ("update", False)


def test_messages_are_merged_whatever_their_reducer(guest: GuestProcess, thread_id: str) -> None:
    for agent in ("edit_parallel", "chat"):
        thread = f"{thread_id}-{agent}"
        first = [{"role": "user", "content": "hi", "id": "m1"}]
        set_values(guest, agent, thread, {"messages": first})
        more = [
            {"type": "ai", "content": "hello", "id": "m2"},
            {"type": "human", "content": "hi there", "id": "m1"},
        ]
        state = set_values(guest, agent, thread, {"messages": more})
        seen = [(m["type"], m["content"], m["id"]) for m in state["messages"]]
        assert seen == [("human", "hi there", "m1"), ("ai", "hello", "m2")]
        left = set_values(guest, agent, thread, {"messages": [{"type": "remove", "id": "m1"}]})
        assert [m["id"] for m in left["messages"]] == ["m2"]


def test_a_delta_channel_is_set(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("delta", thread_id, input={"items": ["a"]}))
    assert set_values(guest, "delta", thread_id, {"items": ["b"]})["items"] == ["b"]
    assert guest.invoke(request("delta", thread_id, input={"items": ["c"]})).output == {
        "items": ["b", "c", 2],
        "other": 1,
    }


def test_an_unknown_key_is_named_with_the_known_ones(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = update_request("counting", thread_id, {"n": 1, "m": 2})
    error = guest.update_state(wanted).error
    assert (error.code, error.message) == (
        "invalid_request",
        "The agent's state has no key 'm'; it has log, n.",
    )
    assert host.writes[wanted.token] == []


def test_values_that_are_no_object_and_messages_that_are_none(
    guest: GuestProcess, thread_id: str
) -> None:
    no_object = guest.update_state(update_request("counting", thread_id, [1])).error
    assert (no_object.code, no_object.message) == (
        "invalid_request",
        "The values are not an object.",
    )
    no_message = guest.update_state(update_request("chat", thread_id, {"messages": [{"a": 1}]}))
    assert no_message.error.code == "agent_error"
    assert "role" in no_message.error.message


def test_an_empty_thread_is_entered_as_by_an_input(guest: GuestProcess, thread_id: str) -> None:
    for n, node in ((3, "small"), (30, "large")):
        thread = f"{thread_id}-{node}"
        assert set_values(guest, "edit_branching", thread, {"n": n})["n"] == n
        done = guest.invoke(request("edit_branching", thread))
        assert done.output["log"] == [f"{node} {n}"]


def test_a_finished_thread_stays_finished(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    set_values(guest, "counting", thread_id, {"n": 7})
    assert guest.invoke(request("counting", thread_id)).output == {"n": 7, "log": ["one", "two"]}
    assert guest.invoke(request("counting", thread_id, input={"n": 1})).output["n"] == 20


def test_what_runs_next_stays(guest: GuestProcess, thread_id: str) -> None:
    stop = request("edit_parallel", thread_id, input={"n": 1}, interrupt_after=["left", "right"])
    assert guest.invoke(stop).output["log"] == ["left 1", "right 1"]
    set_values(guest, "edit_parallel", thread_id, {"n": 2})
    done = guest.invoke(request("edit_parallel", thread_id))
    assert done.output["log"] == [
        "left 1",
        "right 1",
        "after_left 2",
        "after_right 2",
        "both 2",
    ]


def test_a_question_and_the_result_beside_it_stay(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked = guest.invoke(request("edit_asking", thread_id, input={"n": 1}))
    set_values(guest, "edit_asking", thread_id, {"n": 2})
    set_values(guest, "edit_asking", thread_id, {"n": 3})
    (waiting,) = [w for w in host.head(thread_id).writes if w.channel == "__interrupt__"]
    (interrupt,) = json.loads(waiting.json)
    assert (interrupt["value"], interrupt["id"] != asked.interrupts[0]["id"]) == ("ask?", True)
    wanted = request("edit_asking", thread_id, command={"resume": {interrupt["id"]: "yes"}})
    # What has run keeps its result, what asked sees the new values.
    log = guest.invoke(wanted).output["log"]
    assert sorted(log[:2]) == ["done 1", "yes 3"]
    assert log[2:] == ["end 3"]


def test_answers_given_so_far_stay(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("edit_asking_twice", thread_id, input={"n": 1}))
    guest.invoke(request("edit_asking_twice", thread_id, command={"resume": "a"}))
    set_values(guest, "edit_asking_twice", thread_id, {"n": 2})
    done = guest.invoke(request("edit_asking_twice", thread_id, command={"resume": "b"}))
    assert done.output["log"] == ["a b 2"]


def test_a_failed_thread_continues_where_it_failed(
    guest: GuestProcess, thread_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "there"
    failed = guest.invoke(request("edit_failing", thread_id, input={"n": 1, "file": str(file)}))
    assert failed.end.status == "error"
    set_values(guest, "edit_failing", thread_id, {"n": 2})
    file.touch()
    log = guest.invoke(request("edit_failing", thread_id)).output["log"]
    assert log == ["first 1", "done 1", "fail_first 2"]


def test_sends_stay(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    guest.invoke(request("edit_sending", thread_id, input={"n": 0}))
    set_values(guest, "edit_sending", thread_id, {"n": 9})
    waiting = [json.loads(w.json)[0] for w in host.head(thread_id).writes if w.json]
    answers = {i["id"]: f"answer {i['value']}" for i in waiting}
    done = guest.invoke(request("edit_sending", thread_id, command={"resume": answers}))
    assert done.output["log"] == ["start 0", "1:answer 1", "2:answer 2"]


def test_a_question_in_a_sub_graph_stays(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("edit_nested", thread_id, input={"n": 1}))
    set_values(guest, "edit_nested", thread_id, {"n": 2})
    (write,) = [w for w in host.head(thread_id).writes if w.channel == "__interrupt__"]
    (interrupt,) = json.loads(write.json)
    wanted = request(
        "edit_nested",
        thread_id,
        command={"resume": {interrupt["id"]: "yes"}},
        stream_subgraphs=True,
    )
    wanted.stream_modes.append("updates")
    done = guest.invoke(wanted)
    # The sub-graph continues inside, with its own values.
    nodes = [next(iter(update)) for update in done.of("updates")]
    assert nodes == ["ask", "inner", "middle"]
    assert done.output["log"] == ["before 1", "yes 1"]


def test_a_sub_graph_is_edited_by_its_namespace(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("edit_nested", thread_id, input={"n": 1}))
    (inner,) = [ns for ns in host.namespaces(thread_id) if "|inner:" in ns]
    set_values(guest, "edit_nested", thread_id, {"n": 5}, configurable={"checkpoint_ns": inner})
    done = guest.invoke(request("edit_nested", thread_id, command={"resume": "yes"}))
    assert done.output["log"] == ["before 1", "yes 5"]


def test_an_older_checkpoint_is_written_upon(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    before_two = host.checkpoints(thread_id)[-2].checkpoint_id
    at = {"checkpoint_id": before_two}
    assert set_values(guest, "counting", thread_id, {"n": 3}, configurable=at)["log"] == ["one"]
    assert host.head(thread_id).parent_checkpoint_id == before_two
    assert guest.invoke(request("counting", thread_id)).output["n"] == 30


def test_a_node_that_is_named_decides_what_runs_next(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    set_values(guest, "counting", thread_id, {"n": 3}, as_node="one")
    assert guest.invoke(request("counting", thread_id)).output["n"] == 30
    set_values(guest, "counting", thread_id, {"n": 4}, as_node="one")
    set_values(guest, "counting", thread_id, {"n": 5}, as_node="__end__")
    assert guest.invoke(request("counting", thread_id)).output["n"] == 5
    error = guest.update_state(update_request("counting", thread_id, {}, as_node="no")).error
    assert (error.code, error.message) == ("invalid_request", "The agent has no node 'no'.")


def test_plain_is_langgraph_s_own(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    more = {"n": 3, "log": ["mine"]}
    state = set_values(guest, "counting", thread_id, more, as_node="one", plain=True)
    assert state == {"n": 3, "log": ["one", "two", "mine"]}
    assert guest.invoke(request("counting", thread_id)).output["n"] == 30
    wanted = update_request("edit_parallel", thread_id + "p", {"n": 1}, plain=True)
    assert not guest.update_state(wanted).HasField("error")


def test_it_says_whether_a_node_is_next(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))

    def has_next(as_node: str) -> bool:
        wanted = update_request("counting", thread_id, {"n": 3}, as_node=as_node, plain=True)
        return guest.update_state(wanted).has_next

    assert [has_next(node) for node in ("one", "two")] == [True, False]


def test_supersteps_are_langgraph_s_own(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    steps = [
        [{"values": {"n": 1}, "as_node": "__input__"}],
        [{"values": {"n": 1}, "as_node": "__start__"}],
        [{"values": {"n": 7, "log": ["mine"]}, "as_node": "one"}],
    ]
    wanted = update_request("counting", thread_id, None, plain=True)
    wanted.supersteps_json = json.dumps(steps)
    response = guest.update_state(wanted)
    assert not response.HasField("error"), response.error
    assert json.loads(response.values_json) == {"n": 7, "log": ["mine"]}
    assert response.has_next
    host.wait_for(wanted.token, response.last_seq)
    assert guest.invoke(request("counting", thread_id)).output["n"] == 70


def test_the_head_that_the_host_sends_spares_every_load(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("edit_asking", thread_id, input={"n": 1}))
    head = host.head(thread_id)
    wanted = update_request("edit_asking", thread_id, {"n": 2}, head_known=True, head=head)
    response = guest.update_state(wanted)
    assert (json.loads(response.values_json)["n"], host.loads[wanted.token]) == (2, [])
    host.wait_for(wanted.token, response.last_seq)
    assert [w.WhichOneof("op") for w in host.writes[wanted.token]] == ["save", "writes", "writes"]


def test_a_save_that_is_too_large_is_not_sent(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = update_request("counting", thread_id, {"log": ["x" * 1_100_000]})
    error = guest.update_state(wanted).error
    assert error.code == "checkpoint_too_large"
    assert "'log'" in error.message
    assert host.writes[wanted.token] == []
