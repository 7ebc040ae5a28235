"""A bare ASGI application: what it is asked for is in the path."""

import asyncio
import json
from typing import Any

from langgraph_sdk import get_client

seen: list[str] = []


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await _lifespan(scope, receive, send)
        return
    action = _actions[scope["path"].split("/")[1]]
    await action(scope, receive, send)


async def _lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    assert (await receive())["type"] == "lifespan.startup"
    scope["state"]["made"] = "at the start"
    seen.append("startup")
    await send({"type": "lifespan.startup.complete"})
    assert (await receive())["type"] == "lifespan.shutdown"
    print("shutdown", flush=True)
    await send({"type": "lifespan.shutdown.complete"})


async def _report(scope: dict[str, Any], receive: Any, send: Any) -> None:
    body = b""
    while (event := await receive())["type"] == "http.request":
        body += event["body"]
        if not event["more_body"]:
            break
    report = {
        "scope": {k: v for k, v in scope.items() if isinstance(v, (str, list, tuple, dict))},
        "state": scope["state"],
        "seen": seen,
        "length": len(body),
        "user": scope["user"].identity if "user" in scope else None,
        "scopes": scope["auth"].scopes if "auth" in scope else None,
    }
    headers = [(b"Content-Type", b"application/json"), (b"x-a", b"1"), (b"x-a", b"2")]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    text = json.dumps(report, default=lambda raw: raw.decode("latin-1"))
    await send({"type": "http.response.body", "body": text.encode()})


async def _echo(_: dict[str, Any], receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    more = True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            print("gone", flush=True)
            return
        more = event["more_body"]
        await send({"type": "http.response.body", "body": event["body"], "more_body": more})
    print("got the whole", flush=True)


async def _fail(_: dict[str, Any], __: Any, ___: Any) -> None:
    raise KeyError("secret")


async def _half(_: dict[str, Any], __: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise SystemExit(3)


async def _nothing(_: dict[str, Any], __: Any, ___: Any) -> None:
    return


async def _wait(_: dict[str, Any], receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass
    print("disconnected", flush=True)


async def _flood(_: dict[str, Any], __: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    for number in range(64):
        await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        print(f"sent {number}", flush=True)
    await send({"type": "http.response.body"})


async def _ask(_: dict[str, Any], __: Any, send: Any) -> None:
    thread = await get_client().threads.create()
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": json.dumps(thread).encode()})


async def _later(_: dict[str, Any], __: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 202})
    await send({"type": "http.response.body"})
    await asyncio.sleep(0)
    print("in the background", flush=True)


_actions = {
    "report": _report,
    "echo": _echo,
    "fail": _fail,
    "half": _half,
    "nothing": _nothing,
    "wait": _wait,
    "flood": _flood,
    "later": _later,
    "ask": _ask,
}


async def without_lifespan(scope: dict[str, Any], receive: Any, send: Any) -> None:
    assert scope["type"] == "http"
    await _report(scope, receive, send)


async def failing_start(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "Traceback of many lines"})
    raise ConnectionError("no database")


no_app = "text"
