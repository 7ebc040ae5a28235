"""`get_client()` without a URL: requests to the host in the name of the run."""

import json
import queue
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest

from agent_runtime_guest import messages

from .guest_process import GuestProcess, request
from .host import MemoryHost, api_head

_EVENTS = {"content-type": "text/event-stream"}


def _part(body: str) -> Any:
    return messages.ApiResponse(body=body.encode())


def _event(data: Any) -> Any:
    return _part(f"event: values\ndata: {json.dumps(data)}\n\n")


def _ask(agent: str, thread_id: str) -> Any:
    given = {"input": {"thread": thread_id}, "stream_modes": ["custom"]}
    return request(f"client_{agent}", thread_id, **given)


def test_a_request_is_the_runs_and_its_response_the_clients(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked, seen = _ask("create", thread_id), []

    def respond(head: Any, body: bytes, _: Any) -> Iterator[Any]:
        headers = {header.name: header.value for header in head.headers}
        seen.append((head.method, head.target, headers[b"content-type".decode()], body))
        yield api_head()
        yield _part('{"run_id": ')
        yield _part('"r"}')

    host.api[asked.token] = respond
    assert guest.invoke(asked).output["found"] == {"run_id": "r"}
    ((method, target, kind, body),) = seen
    assert (method, target, kind) == ("POST", f"/threads/{thread_id}/runs", b"application/json")
    assert json.loads(body)["input"] == {"ü": 1}


def test_a_refusal_is_the_clients_own_error(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked = _ask("create", thread_id)

    def respond(*_: Any) -> Iterator[Any]:
        yield api_head(404)
        yield _part('{"message": "There is no such thread."}')

    host.api[asked.token] = respond
    error = guest.invoke(asked).end.error
    assert (error.type, "There is no such thread." in error.message) == ("NotFoundError", True)


def test_a_sync_node_asks_from_its_own_event_loop(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked = _ask("from_thread", thread_id)
    host.api[asked.token] = lambda *_: iter([api_head(), _part('{"thread_id": "t"}')])
    assert guest.invoke(asked).output["found"] == {"thread_id": "t"}


def test_events_come_one_by_one(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    asked, may_continue = _ask("stream", thread_id), threading.Event()

    def respond(*_: Any) -> Iterator[Any]:
        yield api_head(**_EVENTS)
        yield _event(1)
        assert may_continue.wait(10), "the first event was held back"
        yield _event(2)

    host.api[asked.token] = respond
    written = []
    for batch in guest.events(asked):
        for event in batch.events:
            if event.chunk.mode == "custom":
                written.append(json.loads(event.chunk.json)["value"])
                may_continue.set()
    assert written == [1, 2]


def test_a_large_response_waits_for_its_reader_and_comes_whole(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked, text = _ask("from_thread", thread_id), json.dumps("x" * 400_000)

    def respond(*_: Any) -> Iterator[Any]:
        yield api_head()
        for start in range(0, len(text), 10_000):
            yield _part(text[start : start + 10_000])

    host.api[asked.token] = respond
    assert guest.invoke(asked).output["found"] == json.loads(text)


@pytest.mark.parametrize("agent", ["first", "stream"], ids=["left", "cancelled"])
def test_leaving_a_stream_cancels_the_request(
    guest: GuestProcess, host: MemoryHost, thread_id: str, agent: str
) -> None:
    asked, over = _ask(agent, thread_id), threading.Event()

    def respond(_: Any, __: bytes, call: grpc.ServicerContext) -> Iterator[Any]:
        call.add_callback(over.set)
        yield api_head(**_EVENTS)
        yield _event(1)
        if agent == "stream":
            guest.cancel(asked.token)
        assert over.wait(10), "the request was not cancelled"

    host.api[asked.token] = respond
    status = guest.invoke(asked, until_saved=False).end.status
    assert (status, over.wait(10)) == ("completed" if agent == "first" else "cancelled", True)


def test_what_the_host_cuts_off_fails(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked = _ask("create", thread_id)

    def respond(_: Any, __: bytes, call: grpc.ServicerContext) -> Iterator[Any]:
        yield api_head()
        yield _part('{"run_id": ')
        call.abort(grpc.StatusCode.ABORTED, "permission_denied: The run of this call has ended.")

    host.api[asked.token] = respond
    error = guest.invoke(asked).end.error
    assert (error.type, error.message) == (
        "ReadError",
        "permission_denied: The run of this call has ended.",
    )


def test_a_thread_of_the_agents_own_is_of_no_run(guest: GuestProcess, thread_id: str) -> None:
    (error,) = guest.invoke(_ask("elsewhere", thread_id)).output["found"]
    assert error.startswith("ConnectError: A client without a URL is a client of a run")


def test_what_outlives_its_run_is_refused(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    asked, has_ended = _ask("late", thread_id), threading.Event()

    def respond(*_: Any) -> Iterator[Any]:
        if has_ended.wait(10):
            yield api_head(403)
            yield _part('{"message": "The run that this client is of has ended."}')

    host.api[asked.token] = respond
    assert guest.invoke(asked).end.status == "completed"
    has_ended.set()
    printed = queue.SimpleQueue()
    guest.printed_all(
        asked.run_id,
        lambda lines: any("has ended" in text and printed.put(text) is None for _, text in lines),
    )
    assert printed.get().startswith("PermissionDeniedError")
