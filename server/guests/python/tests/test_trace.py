"""The stream mode that the host reads for the history of a run."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent_runtime_guest.call_usage import usage_of

from .guest_process import GuestProcess, Outcome, request
from .trace_cases import CASES, check_case, spans_of

_IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.+]+")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["reports"])
def test_a_run_reports(guest: GuestProcess, thread_id: str, case: dict[str, Any]) -> None:
    check_case(guest, case, thread_id)


def test_what_is_long_is_cut(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(request("traced_large", thread_id, input={"n": 1}, stream_modes=["trace"]))
    outputs = {span["name"]: span["output"] for span in spans_of(done)}
    assert outputs["weather"]["bytes"] > 200_000
    assert len(outputs["look"]["preview"]) == 4096


def test_values_without_a_text_fail_no_run(guest: GuestProcess, thread_id: str) -> None:
    done = guest.invoke(
        request("traced_oddities", thread_id, input={"n": 1}, stream_modes=["trace"])
    )
    assert done.output["log"] == ["odd"]
    _, value, failure = spans_of(done)
    assert (value["status"], value["output"]["1"]) == ("completed", "<Odd>")
    assert failure["error"] == {"type": "OddError", "message": "OddError"}


def test_a_node_that_is_cancelled_has_failed(guest: GuestProcess, thread_id: str) -> None:
    wanted = request("traced_waiting", thread_id, input={"n": 1}, stream_modes=["trace"])
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(guest.invoke, wanted)
        guest.line(run_id=wanted.run_id, text="waiting")
        assert guest.cancel(wanted.token)
        done = outcome.result(10)
    assert done.end.status == "cancelled"
    (span,) = spans_of(done)
    assert (span["status"], span["error"]["type"]) == ("error", "CancelledError")


@pytest.mark.parametrize("agent", ["parallel", "nested", "calling", "functional"])
def test_it_changes_nothing_that_clients_see(
    guest: GuestProcess, thread_id: str, agent: str
) -> None:
    modes = ["values", "updates", "messages", "custom", "tasks", "checkpoints"]

    def streamed(*modes: str) -> list[tuple[str, str]]:
        thread = f"{thread_id}{len(modes)}"
        wanted = request(
            f"traced_{agent}", thread, input={"n": 1}, stream_modes=modes, stream_subgraphs=True
        )
        return _without_ids(guest.invoke(wanted), thread)

    without = streamed(*modes)
    assert "trace" not in {mode for mode, _ in without}
    assert [item for item in streamed(*modes, "trace") if item[0] != "trace"] == without
    # They come beside the graph's stream, from threads too.
    assert [item for item in streamed("calls", "trace") if item[0] == "calls"] == streamed("calls")


def _without_ids(done: Outcome, thread_id: str) -> list[tuple[str, str]]:
    """The chunks as text, without what differs from run to run."""
    texts = [(mode, f"{ns} {data}".replace(thread_id, "T")) for mode, ns, data in done.chunks]
    texts = [(mode, _IDS.sub("U", text)) for mode, text in texts]
    return [(mode, re.sub(r"'latency_ms': [\d.]+", "", text)) for mode, text in texts]


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 6, "model": "x"}, (3, 2, 6)),
        ({"input_tokens": 3, "output_tokens": 2}, (3, 2, 5)),
        ({}, None),
        ("many", None),
    ],
)
def test_usage_is_reported_in_one_form(reported: Any, usage: tuple[int, int, int] | None) -> None:
    names = ("input_tokens", "output_tokens", "total_tokens")
    assert usage_of(reported) == (None if usage is None else dict(zip(names, usage, strict=True)))
