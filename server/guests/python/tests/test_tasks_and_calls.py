"""The stream modes of nodes, and of model and tool calls."""

import re
from typing import Any

from .guest_process import GuestProcess, request

_TS = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def without(event: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in names}


def test_tasks_report_the_start_and_the_end_of_nodes(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("counting", thread_id, input={"n": 1}, stream_modes=["tasks"]))
    assert {mode for mode, _, _ in done.chunks} == {"tasks"}
    events = done.of("tasks")
    assert all(_TS.fullmatch(event["ts"]) for event in events)
    assert [(event["event"], event["name"]) for event in events] == [
        ("start", "one"),
        ("end", "one"),
        ("start", "two"),
        ("end", "two"),
    ]
    start, end = events[:2]
    assert start["id"] == end["id"]
    assert start["input"] == {"n": 1, "log": []}
    assert without(end, "id", "ts") == {
        "event": "end",
        "name": "one",
        "result": {"n": 2, "log": ["one"]},
        "error": None,
        "interrupts": [],
    }


def test_tasks_report_errors_and_questions(guest: GuestProcess, thread_id: str) -> None:
    failed = guest.invoke(request("failing", thread_id, input={"n": 1}, stream_modes=["tasks"]))
    last = failed.of("tasks")[-1]
    assert (last["event"], last["name"], last["error"]) == (
        "end",
        "fail",
        "KeyError: 'missing thing'",
    )
    asked = guest.invoke(request("asking", thread_id + "a", input={"n": 1}, stream_modes=["tasks"]))
    (question,) = asked.interrupts
    assert asked.of("tasks")[-1]["interrupts"] == [question]


def test_what_a_task_is_given_and_gives_is_of_bounded_size(
    guest: GuestProcess, thread_id: str
) -> None:
    wanted = request("growing", thread_id, input={"n": 1}, stream_modes=["tasks"])
    end = guest.invoke(wanted).of("tasks")[-1]
    result = end["result"]
    assert (result["truncated"], result["bytes"] > 400_000, len(result["preview"])) == (
        True,
        True,
        4096,
    )


def test_calls_report_models_and_tools(guest: GuestProcess, thread_id: str) -> None:
    given = {"messages": [{"role": "user", "content": "Bern", "id": "h1"}]}
    done = guest.invoke(request("calling", thread_id, input=given, stream_modes=["calls"]))
    assert {mode for mode, _, _ in done.chunks} == {"calls"}
    asked, generated, called, returned = done.of("calls")
    assert without(asked, "id", "parent_id", "ts", "ns", "params") == {
        "kind": "model",
        "event": "start",
        "name": "GenericFakeChatModel",
        "model": None,
        "node": "ask",
        "input": [asked["input"][0]],
    }
    assert asked["input"][0]["content"] == "Bern"
    assert asked["ns"].startswith("ask:")
    assert (generated["event"], generated["id"], generated["node"]) == ("end", asked["id"], "ask")
    assert generated["output"]["content"] == "look it up"
    assert generated["usage"] == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert generated["latency_ms"] >= 0
    assert (called["kind"], called["name"], called["input"], called["node"]) == (
        "tool",
        "weather",
        {"city": "Bern"},
        "look",
    )
    assert (returned["output"], returned["error"]) == ("sunny in Bern", None)
    assert all(_TS.fullmatch(event["ts"]) for event in done.of("calls"))


def test_calls_report_failures_and_cut_what_is_long(guest: GuestProcess, thread_id: str) -> None:
    def last(city: str) -> Any:
        given = {"messages": [{"role": "user", "content": city}]}
        wanted = request("calling", thread_id + city, input=given, stream_modes=["calls"])
        return guest.invoke(wanted).of("calls")[-1]

    assert last("nowhere")["error"] == "ValueError: no such city"
    assert last("far")["output"]["bytes"] > 200_000


def test_calls_report_what_a_tool_streams(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("dripping", thread_id, input={"messages": []}, stream_modes=["calls"])
    events = guest.invoke(wanted).of("calls")
    streamed = (("c1", [{"number": 0}, {"number": 1}]), ("c2", ["all"]), ("c3", ["after it"]))
    for call, deltas in streamed:
        own = [event for event in events if event.get("tool_call_id") == call]
        assert [event["event"] for event in own] == ["start", *("delta" for _ in deltas), "end"]
        assert [event["delta"] for event in own[1:-1]] == deltas


def test_calls_of_a_sub_graph_come_with_its_namespace(guest: GuestProcess, thread_id: str) -> None:
    for subgraphs in (False, True):
        given = {"messages": [{"role": "user", "content": "Bern"}]}
        wanted = request(
            "calling_outer",
            f"{thread_id}{subgraphs}",
            input=given,
            stream_modes=["calls"],
            stream_subgraphs=subgraphs,
        )
        done = guest.invoke(wanted)
        assert len(done.of("calls")) == 4
        namespaces = {ns.partition(":")[0] for _, ns, _ in done.chunks}
        assert namespaces == ({"inside"} if subgraphs else {""})


def test_nothing_is_reported_that_was_not_requested(guest: GuestProcess, thread_id: str) -> None:
    given = {"messages": [{"role": "user", "content": "Bern"}]}
    modes = ["updates", "nonsense", "lifecycle"]
    done = guest.invoke(request("calling", thread_id, input=given, stream_modes=modes))
    assert {mode for mode, _, _ in done.chunks} == {"updates"}
