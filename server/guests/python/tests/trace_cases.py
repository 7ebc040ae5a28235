"""What the mode `trace` reports of the graphs of agents/tracing.py, in both languages the same."""

import json
import re
from typing import Any

from .guest_process import PACKAGE_FOLDER, GuestProcess, Outcome, request

CASES = json.loads((PACKAGE_FOLDER.parent.parent / "test/fixtures/trace-cases.json").read_text())
AGENTS = {f"traced_{case['agent']}": f"./tracing.py:{case['agent']}" for case in CASES}

_TS = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_START = {"event", "kind", "id", "parent_id", "name", "node", "step", "ns", "ts"}
_MEMBERS = {
    ("start", "node"): _START,
    ("start", "model"): _START | {"input", "params", "model"},
    ("start", "tool"): _START | {"input"},
    ("token", None): {"event", "id", "ts"},
}
_END = {"event", "kind", "id", "ts", "latency_ms", "status", "output", "usage", "error"}


def check_case(guest: GuestProcess, case: dict[str, Any], thread_id: str) -> None:
    """Runs the agent of a case and compares what is reported."""
    agent = f"traced_{case['agent']}"
    wanted = request(agent, thread_id, input={"n": 1}, stream_modes=["trace"])
    done = guest.invoke(wanted)
    assert done.end.status == case["status"], done.end.error
    assert spans_of(done) == case["spans"]


def spans_of(done: Outcome) -> list[dict[str, Any]]:
    """The spans in the order of their starts, without what differs from run to run."""
    assert {(mode, ns) for mode, ns, _ in done.chunks} == {("trace", "")}
    spans: dict[str, dict[str, Any]] = {}
    for event in done.of("trace"):
        kind = (event["event"], event.get("kind"))
        assert set(event) == (_END if kind[0] == "end" else _MEMBERS[kind])
        assert _TS.fullmatch(event["ts"])
        if kind[0] == "start":
            spans[event["id"]] = _started(event, spans)
        elif kind[0] == "token":
            assert "has_token" not in spans[event["id"]]
            spans[event["id"]]["has_token"] = True
        else:
            assert "status" not in spans[event["id"]]
            spans[event["id"]] |= _ended(event)
    return list(spans.values())


def _started(event: dict[str, Any], spans: dict[str, Any]) -> dict[str, Any]:
    parent = event["parent_id"]
    given = event.get("input")
    shown = {
        "kind": event["kind"],
        "name": event["name"],
        "in": None if parent is None else spans[parent]["name"],
        "node": event["node"],
        "step": event["step"],
        "ns": "|".join(part.partition(":")[0] for part in event["ns"].split("|")),
        "model": event.get("model"),
        "input": [m["content"] for m in given] if event["kind"] == "model" else given,
    }
    return {name: value for name, value in shown.items() if value is not None or name == "in"}


def _ended(event: dict[str, Any]) -> dict[str, Any]:
    assert event["latency_ms"] >= 0
    output = event["output"]
    if event["kind"] == "model":
        output = output["content"]
    elif isinstance(output, dict) and "__interrupt__" in output:
        output = {"__interrupt__": [{"value": asked["value"]} for asked in output["__interrupt__"]]}
    elif isinstance(output, dict) and "update" in output:
        output = {"update": output["update"]}
    shown = {name: event[name] for name in ("status", "usage", "error")} | {"output": output}
    return {name: value for name, value in shown.items() if value is not None}
