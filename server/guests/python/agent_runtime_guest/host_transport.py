"""httpx over the host's Api: how clients of LangGraph's SDK within agents send their requests."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import httpx

from . import messages
from .run_context import current_token
from .sdk_clients import host

# A part of a body: far below what a message may be.
_PART_BYTES = 256 * 1024
# Parts that wait for an agent that reads slowly; then the host waits.
_PARTS_AHEAD = 4
_NO_RUN = (
    "A client without a URL is a client of a run: it can be made anywhere, and called by the "
    "agent's nodes and tools while they run, and by http.app until its response is complete "
    "(not from a thread that the agent starts by itself)."
)


class HostTransport(httpx.AsyncBaseTransport):
    """Replaces the SDK's transport to LangGraph's own server, with the same arguments."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The host's response, as soon as it begins."""
        channel, token = host(), current_token.get()
        if channel is None or not token:
            raise httpx.ConnectError(_NO_RUN, request=request)
        parts = _parts(token, request, await request.aread())
        response = HostResponse(channel.call_api(parts))
        try:
            first = await response.part()
        except grpc.RpcError as error:
            raise httpx.ConnectError(_text(error), request=request) from error
        except BaseException:
            await response.aclose()  # the caller is cancelled
            raise
        headers = [(header.name.encode("latin-1"), header.value) for header in first.head.headers]
        return httpx.Response(first.head.status, headers=headers, stream=response)


class HostResponse(httpx.AsyncByteStream):
    """The parts of a response, for the event loop that asked for it.

    gRPC's asyncio client is not used here either: see HostChannel.
    """

    def __init__(self, call: Any) -> None:
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._parts: asyncio.Queue[Any] = asyncio.Queue()
        self._room = threading.Semaphore(_PARTS_AHEAD)
        # The parts of a call that is over may never be taken.
        if not call.add_callback(self._make_room):
            self._make_room()
        threading.Thread(target=self._read, name="agent-api", daemon=True).start()

    def _make_room(self) -> None:
        self._room.release(1_000_000)

    def _read(self) -> None:
        end: Any = None
        try:
            for part in self._call:
                self._room.acquire()
                self._deliver(part)
        except grpc.RpcError as error:
            end = error
        self._deliver(end)

    def _deliver(self, part: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(self._parts.put_nowait, part)
        except RuntimeError:  # the loop has ended, with the caller
            self._call.cancel()

    async def part(self) -> Any:
        """The next part; None at the end. Raises gRPC's error when the host breaks off."""
        part = await self._parts.get()
        self._room.release()
        if isinstance(part, grpc.RpcError):
            raise part
        return part

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while (part := await self.part()) is not None:
                yield part.body
        except grpc.RpcError as error:
            raise httpx.ReadError(_text(error)) from error

    async def aclose(self) -> None:
        """Cancels the request, unless it is complete."""
        self._call.cancel()


def _parts(token: str, request: httpx.Request, body: bytes) -> Iterator[Any]:
    headers = [
        messages.HttpHeader(name=name.decode("latin-1").lower(), value=value)
        for name, value in request.headers.raw
    ]
    target = request.url.raw_path.decode("latin-1")
    head = {"token": token, "method": request.method, "target": target, "headers": headers}
    yield messages.ApiRequest(head=messages.ApiRequestHead(**head))
    for start in range(0, len(body), _PART_BYTES):
        yield messages.ApiRequest(body=body[start : start + _PART_BYTES])
    yield messages.ApiRequest(end=True)


def _text(error: grpc.RpcError) -> str:
    return (error.details() if hasattr(error, "details") else None) or str(error)
