"""A chat model of an agent, called outside of its runs."""

import json
from typing import Any

import grpc
import pytest

from agent_runtime_guest import messages

from .guest_process import GuestProcess, request
from .trace_cases import spans_of

QUESTION = [{"type": "human", "content": "Bern?"}]
COLD = {"model": "echo-1", "temperature": 0.1, "_type": "echo", "stop": None}


def asked(given: list[Any] = QUESTION, params: Any = None, **fields: Any) -> Any:
    recorded = fields.pop("recorded", COLD)
    wanted = {"agent_id": "models", "name": "EchoModel", "model": "", **fields}
    return messages.CallModelRequest(
        messages_json=json.dumps(given),
        recorded_params_json=json.dumps(recorded),
        params_json=json.dumps(recorded if params is None else params),
        **wanted,
    )


def content_of(response: Any) -> str:
    assert response.output_json, response.error
    return json.loads(response.output_json)["content"]


def test_a_recorded_call_is_repeated_with_what_was_bound(
    guest: GuestProcess, thread_id: str
) -> None:
    given = {"messages": QUESTION}
    run = guest.invoke(request("models", thread_id, input=given, stream_modes=["trace"]))
    (span,) = [event for event in run.of("trace") if event.get("kind") == "model"][:1]
    assert spans_of(run)[1]["kind"] == "model"
    response = guest.call_model(
        asked(span["input"], recorded=span["params"], name=span["name"], model=span["model"] or "")
    )
    recorded = run.output["messages"][-1]["content"]
    assert content_of(response) == recorded
    assert recorded.startswith("cold: [('human', 'Bern?')]")
    assert "('stop', ['END'])" in recorded
    assert json.loads(response.usage_json)["total_tokens"] == 10
    assert (response.latency_ms > 0, response.model) == (True, "")


def test_the_object_with_the_same_parameters_is_called(guest: GuestProcess) -> None:
    assert content_of(guest.call_model(asked())).startswith("cold: ")
    warm = {**COLD, "temperature": 0.7}
    assert content_of(guest.call_model(asked(recorded=warm))).startswith("warm: ")
    # A run may have given another name to the call.
    assert content_of(guest.call_model(asked(name="model"))).startswith("cold: ")


def test_changed_messages_and_parameters_are_what_the_model_gets(guest: GuestProcess) -> None:
    given = [
        {"role": "system", "content": "Be brief."},
        *QUESTION,
        {"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "look", "args": {}}]},
        {"type": "tool", "content": "sunny", "tool_call_id": "c"},
    ]
    params = {**COLD, "temperature": 1, "seed": 3}
    content = content_of(guest.call_model(asked(given, params)))
    assert "('system', 'Be brief.'), ('human', 'Bern?'), ('ai', ''), ('tool', 'sunny')" in content
    assert "('seed', 3), ('stop', None), ('temperature', 1)" in content


def test_what_it_prints_is_of_no_run(guest: GuestProcess) -> None:
    guest.call_model(asked([{"type": "human", "content": "no run"}]))
    line = guest.line(text="asked for no run")
    assert line["run_id"].startswith("model-call-")


def test_a_model_that_is_made_with_the_graph_is_found(guest: GuestProcess) -> None:
    recorded = {**COLD, "temperature": 0.0}
    response = guest.call_model(asked(agent_id="made_model", name="MadeModel", recorded=recorded))
    assert content_of(response).startswith("made: ")


@pytest.mark.parametrize(
    ("fields", "code", "sentence"),
    [
        ({"name": "NodesModel", "recorded": {"_type": "x"}}, "model_not_found", "gone when"),
        ({"agent_id": "nothing"}, "agent_not_found", "nothing"),
        ({"agent_id": "broken"}, "agent_not_loaded", "no_such_module"),
        ({"given": [{"type": "human", "content": "fail"}]}, "agent_error", "no credit left"),
        ({"given": [{"type": "novel", "content": "x"}]}, "invalid_request", "messages.0 is no"),
    ],
)
def test_it_is_refused(
    guest: GuestProcess, fields: dict[str, Any], code: str, sentence: str
) -> None:
    error = guest.call_model(asked(**fields)).error
    assert (error.code, sentence in error.message) == (code, True), error


def test_a_call_that_the_host_cancels_ends(guest: GuestProcess) -> None:
    call = guest.start_model_call(asked(name="SlowModel", recorded={**COLD, "temperature": 0.0}))
    guest.line(text="waiting")
    assert guest.health().active_runs == 0
    call.cancel()
    assert guest.line(text="left")["run_id"].startswith("model-call-")
    with pytest.raises(grpc.FutureCancelledError):
        call.result()
