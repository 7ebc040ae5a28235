"""The manifest's `http.app`: any ASGI application, one request at a time and its lifespan."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from . import messages
from .auth_user import User
from .errors import error_message
from .lifespan import Lifespan
from .run_context import current_token

# A part of a body: far below what a message may be.
_PART_BYTES = 256 * 1024
# Parts that wait for a client that reads slowly; then the app's `send` waits.
_PARTS_AHEAD = 4


class AsgiApp:
    """An application that was started, and responds to requests."""

    def __init__(self, app: Any) -> None:
        """Raises TypeError for what cannot be called."""
        if not callable(app):
            raise TypeError(f"http.app is a {type(app).__name__}; an ASGI application is needed")
        self._app = app
        self.lifespan = Lifespan(app)
        # A response may be complete before its application is: background tasks continue.
        self._tasks: set[asyncio.Task[None]] = set()

    async def respond(self, requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """The parts of the response to one request. When closed early, the app is notified."""
        first = await anext(requests)
        exchange = Exchange()
        reading = asyncio.create_task(exchange.read(requests))
        scope = scope_of(first.head, dict(self.lifespan.state))
        # The app's clients without a URL call the host on behalf of who makes the request.
        before = current_token.set(first.head.token)
        task = asyncio.create_task(self._run(scope, exchange))
        current_token.reset(before)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while (part := await exchange.parts.get()) is not None:
                yield part
        finally:
            reading.cancel()
            exchange.disconnect()

    async def _run(self, scope: dict[str, Any], exchange: "Exchange") -> None:
        error: BaseException | None = None
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except BaseException as raised:
            error = raised
        await exchange.end(error)


class Exchange:
    """One request and its response, as the application sees them."""

    def __init__(self) -> None:
        self.parts: asyncio.Queue[Any] = asyncio.Queue(_PARTS_AHEAD)
        self._received: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_PARTS_AHEAD)
        self._disconnected = asyncio.Event()  # the client, or the response is complete
        self._is_body_over = False
        self._has_begun = False
        self._is_complete = False

    def disconnect(self) -> None:
        """Wakes all that wait for the client; nothing is sent any more."""
        self._disconnected.set()

    async def read(self, requests: AsyncIterator[Any]) -> None:
        """Takes the parts of the body until its end; without one the client has disconnected."""
        try:
            async for request in requests:
                is_over = request.WhichOneof("part") == "end"
                event = {"type": "http.request", "body": request.body, "more_body": not is_over}
                await self._received.put(event)
                if is_over:
                    return
        except Exception:
            pass  # gRPC's own, when the call is over
        self.disconnect()

    async def receive(self) -> dict[str, Any]:
        """The next part of the body; after its end waits until the client has disconnected."""
        if not self._is_body_over and (
            event := await self._unless_disconnected(self._received.get())
        ):
            self._is_body_over = not event["more_body"]
            return event
        await self._disconnected.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        """Takes the parts of a response; waits while the client reads slowly."""
        kind = message["type"]
        if self._disconnected.is_set():
            return  # as servers do
        if kind == "http.response.start" and not self._has_begun:
            self._has_begun = True
            await self._put(messages.HttpResponse(head=_head_of(message)))
        elif kind == "http.response.body" and self._has_begun and not self._is_complete:
            body = bytes(message.get("body", b""))
            for start in range(0, len(body), _PART_BYTES):
                await self._put(messages.HttpResponse(body=body[start : start + _PART_BYTES]))
            if not message.get("more_body", False):
                self._is_complete = True
                await self._put(None)
        else:
            raise RuntimeError(f"unexpected ASGI message {kind!r}")

    async def end(self, error: BaseException | None) -> None:
        """The application has returned or raised."""
        if self._is_complete:
            if error is not None:
                raise error  # of a background task: asyncio prints it
            return
        if error is None:
            what = "its response" if self._has_begun else "a response"
            error = RuntimeError(f"the application returned without completing {what}")
        await self._put(messages.HttpResponse(error=error_message(error)))
        await self._put(None)

    async def _put(self, part: Any) -> None:
        await self._unless_disconnected(self.parts.put(part))

    async def _unless_disconnected(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What it returns; None when the client disconnects before."""
        task = asyncio.ensure_future(work)
        disconnected = asyncio.ensure_future(self._disconnected.wait())
        try:
            await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            disconnected.cancel()


def _head_of(message: dict[str, Any]) -> Any:
    headers = [
        messages.HttpHeader(name=bytes(name).decode("latin-1").lower(), value=bytes(value))
        for name, value in message.get("headers", ())
    ]
    return messages.HttpResponseHead(status=message["status"], headers=headers)


def scope_of(head: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The scope of ASGI's HTTP specification; `user` and `auth` as under LangGraph's server."""
    headers = [(header.name.encode("latin-1"), header.value) for header in head.headers]
    host = next((value.decode("latin-1") for name, value in headers if name == b"host"), "")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": head.scheme,
        "method": head.method,
        "path": head.path,
        "raw_path": head.raw_path,
        "root_path": "",
        "query_string": head.query.encode("latin-1", "replace"),
        "headers": headers,
        "client": (head.client, head.client_port),
        "server": _server_of(host, head.scheme),
        "state": state,
    }
    if head.user_json:
        members = json.loads(head.user_json)
        permissions = members.get("permissions") or []
        scope["user"] = User(members)
        scope["auth"] = _credentials(permissions)
    return scope


def _server_of(host: str, scheme: str) -> tuple[str, int]:
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit():
        return name, int(port)
    return host, 443 if scheme == "https" else 80


def _credentials(permissions: list[str]) -> Any:
    try:
        from starlette.authentication import AuthCredentials
    except ImportError:
        from types import SimpleNamespace

        return SimpleNamespace(scopes=permissions)
    return AuthCredentials(permissions)
