"""The manifest's `http.app`, in a guest process as a host starts it."""

import json
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_runtime_guest import messages

from .guest_process import GuestProcess
from .host import MemoryHost, api_head


@pytest.fixture(scope="module")
def web(folder: Path, host: MemoryHost) -> Iterator[GuestProcess]:
    process = GuestProcess(folder, host, {}, app_path="./webapp.py:app")
    yield process
    process.close()


def _head(path: str, **fields: Any) -> Any:
    headers = [
        messages.HttpHeader(name=name, value=value.encode("latin-1"))
        for name, value in fields.pop("headers", {}).items()
    ]
    given = {"method": "POST", "path": path, "raw_path": path.encode(), "scheme": "http", **fields}
    return messages.HttpRequest(head=messages.HttpRequestHead(**given, headers=headers))


def _ask(guest: GuestProcess, head: Any, *parts: bytes) -> tuple[Any, bytes]:
    """The head of the response and its body; AssertionError with the error when there is one."""
    requests = [head, *(messages.HttpRequest(body=part) for part in parts)]
    received = list(guest.http(iter([*requests, messages.HttpRequest(end=True)])))
    for response in received:
        assert not response.HasField("error"), response.error.message
    return received[0].head, b"".join(response.body for response in received[1:])


def _printed(guest: GuestProcess, text: str) -> None:
    guest.printed_all("", lambda lines: ("stdout", text) in lines)


def test_an_app_has_the_request_as_asgi_has_it(web: GuestProcess) -> None:
    user = {"identity": "ada", "permissions": ["read"], "team": "x"}
    head = _head(
        "/report/é",
        raw_path=b"/report/%C3%A9",
        query="a=b&a=c",
        client="127.0.0.1",
        client_port=5,
        headers={"host": "localhost:8090", "x-latin": "é"},
        user_json=json.dumps(user),
    )
    response, body = _ask(web, head, b"ab", b"c")
    assert response.status == 201
    assert [(one.name, one.value) for one in response.headers] == [
        ("content-type", b"application/json"),
        ("x-a", b"1"),
        ("x-a", b"2"),
    ]
    report = json.loads(body)
    scope = report.pop("scope")
    assert report == {
        "state": {"made": "at the start"},
        "seen": ["startup"],
        "length": 3,
        "user": "ada",
        "scopes": ["read"],
    }
    assert scope["headers"] == [["host", "localhost:8090"], ["x-latin", "é"]]
    assert (scope["path"], scope["root_path"], scope["type"]) == ("/report/é", "", "http")
    assert (scope["client"], scope["server"]) == (["127.0.0.1", 5], ["localhost", 8090])


def test_its_clients_without_a_url_call_the_host(web: GuestProcess, host: MemoryHost) -> None:
    host.api["its token"] = lambda *_: iter(
        [api_head(), messages.ApiResponse(body=b'{"thread_id": "t"}')]
    )
    _, body = _ask(web, _head("/ask", token="its token"))
    assert json.loads(body) == {"thread_id": "t"}
    (error,) = web.http(iter([_head("/ask"), messages.HttpRequest(end=True)]))
    assert "by http.app until its response is complete" in error.error.message


def test_both_bodies_flow_at_the_same_time(web: GuestProcess) -> None:
    sent: queue.Queue[Any] = queue.Queue()
    parts = web.http(iter(sent.get, None))
    sent.put(_head("/echo"))
    assert next(parts).head.status == 200
    for part in (b"one", b"two"):
        sent.put(messages.HttpRequest(body=part))
        assert next(parts).body == part
    sent.put(messages.HttpRequest(end=True))
    assert list(parts) == []
    sent.put(None)


def test_large_bodies_come_in_parts(web: GuestProcess) -> None:
    part = b"x" * 1_000_000
    parts = list(web.http(iter([_head("/echo"), messages.HttpRequest(body=part), _end()])))
    assert b"".join(one.body for one in parts) == part
    assert max(len(one.body) for one in parts) <= 256 * 1024


def test_a_client_that_reads_nothing_holds_the_app_up(web: GuestProcess) -> None:
    parts = web.http(iter([_head("/flood"), _end()]))
    assert next(parts).head.status == 200
    _printed(web, "sent 0")
    assert ("stdout", "sent 63") not in web.printed("")
    assert sum(len(one.body) for one in parts) == 64_000_000


def _end() -> Any:
    return messages.HttpRequest(end=True)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/fail", ("KeyError", "'secret'")),
        ("/nothing", ("RuntimeError", "the application returned without completing a response")),
    ],
)
def test_the_error_of_an_app_is_sent(web: GuestProcess, path: str, error: tuple[str, str]) -> None:
    (response,) = web.http(iter([_head(path), _end()]))
    assert (response.error.type, response.error.message) == error


def test_a_response_that_breaks_off_is_not_taken_for_a_whole_one(web: GuestProcess) -> None:
    head, half, error = web.http(iter([_head("/half"), _end()]))
    assert (head.head.status, half.body, error.error.type) == (200, b"half", "SystemExit")
    assert _ask(web, _head("/report"))[0].status == 201


def test_the_app_is_notified_when_the_client_disconnects(web: GuestProcess) -> None:
    parts = web.http(iter([_head("/wait"), _end()]))
    assert (next(parts).head.status, next(parts).body) == (200, b"begun")
    parts.cancel()
    _printed(web, "disconnected")


def test_a_body_that_is_cut_off_is_not_taken_for_a_whole_one(web: GuestProcess) -> None:
    list(web.http(iter([_head("/echo"), messages.HttpRequest(body=b"half")])))
    _printed(web, "gone")


def test_work_continues_after_the_response(web: GuestProcess) -> None:
    assert _ask(web, _head("/later"))[0].status == 202
    _printed(web, "in the background")


def test_the_lifespan_ends_with_the_guest(folder: Path, host: MemoryHost) -> None:
    guest = GuestProcess(folder, host, {}, app_path="./webapp.py:app")
    guest.process.terminate()
    guest.close()
    assert guest.process.returncode == 0
    assert ("stdout", "shutdown") in guest.printed("")


@pytest.mark.parametrize(
    ("variable", "error"),
    [
        ("failing_start", ("ConnectionError", "no database")),
        ("no_app", ("TypeError", "http.app is a str; an ASGI application is needed")),
        ("none", ("AttributeError", "./webapp.py has no variable 'none'")),
        ("without_lifespan", ("", "")),
    ],
)
def test_what_cannot_be_served_is_reported(
    folder: Path, host: MemoryHost, variable: str, error: tuple[str, str]
) -> None:
    guest = GuestProcess(folder, host, {}, app_path=f"./webapp.py:{variable}")
    found = guest.describe_web().app_error
    assert (found.type, found.message) == error
    parts = list(guest.http(iter([_head("/report"), _end()])))
    assert parts[0].error.message == error[1]
    guest.close()


def test_a_guest_without_an_app_responds_with_an_error(guest: GuestProcess) -> None:
    (response,) = guest.http(iter([_head("/report"), _end()]))
    assert response.error.message == "this guest has no http.app"
