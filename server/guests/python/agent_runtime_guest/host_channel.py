"""The guest's connection to its host: one stream of writes, and the calls that read."""

import queue
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import grpc

from . import messages
from .config import GuestConfig, socket_address
from .errors import ServiceError

if TYPE_CHECKING:
    from .session import RunSession

_CALL_TIMEOUT_SECONDS = 60.0
_CROWDED_BYTES = 64 * 1024 * 1024
_NAMED = re.compile(r"([a-z]+(?:_[a-z]+)+): (.*)", re.DOTALL)
_CODES = {
    grpc.StatusCode.UNAVAILABLE: "engine_unavailable",
    grpc.StatusCode.DEADLINE_EXCEEDED: "engine_unavailable",
    grpc.StatusCode.PERMISSION_DENIED: "run_fenced",
    grpc.StatusCode.UNAUTHENTICATED: "run_fenced",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "state_too_large",
}


class HostChannel:
    """Calls the host over gRPC's threaded client.

    Not its asyncio one: LangGraph calls the saver from threads too, and from code that blocks the
    event loop (an async node that calls `subgraph.invoke`); neither may wait for the loop.
    """

    def __init__(self, config: GuestConfig) -> None:
        self._channel = grpc.insecure_channel(
            socket_address(config.host_socket),
            options=[
                ("grpc.max_receive_message_length", config.transport_bytes),
                ("grpc.max_send_message_length", config.transport_bytes),
                ("grpc.enable_http_proxy", 0),
            ],
        )
        self.max_message_bytes = config.max_message_bytes
        self.transport_bytes = config.transport_bytes
        self.store_ttl = config.store_ttl
        # Whether vectors for the store are made in this process.
        self.embeds = config.store_embed is not None
        self._sessions: dict[str, RunSession] = {}
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[bytes | None] | None = None
        self._waiting_bytes = 0
        self._load = self._unary(messages.CHECKPOINTS_SERVICE, "Load", "Load")
        self._delete = self._unary(messages.CHECKPOINTS_SERVICE, "DeleteThread", "DeleteThread")
        self._list = self._channel.unary_stream(
            f"/{messages.CHECKPOINTS_SERVICE}/List",
            messages.ListRequest.SerializeToString,
            messages.Checkpoint.FromString,
        )

    def _unary(self, service: str, method: str, names: str) -> grpc.UnaryUnaryMultiCallable:
        return self._channel.unary_unary(
            f"/{service}/{method}",
            getattr(messages, f"{names}Request").SerializeToString,
            getattr(messages, f"{names}Response").FromString,
        )

    def call_store(self, method: str, request: Any) -> Any:
        """Calls the host's Store and waits."""
        call = self._unary(messages.STORE_SERVICE, method, f"Store{method}")
        return _translated(call, request, timeout=_CALL_TIMEOUT_SECONDS)

    def call_api(self, requests: Iterator[Any]) -> Any:
        """Begins a call of the host's Api: an iterator over its parts that can be cancelled."""
        call = self._channel.stream_stream(
            f"/{messages.API_SERVICE}/Call",
            messages.ApiRequest.SerializeToString,
            messages.ApiResponse.FromString,
        )
        return call(requests)

    def register(self, session: "RunSession") -> None:
        """Acknowledgements of this session's token go to it from now on."""
        self._sessions[session.token] = session

    def forget(self, session: "RunSession") -> None:
        """Ends what `register` began."""
        if self._sessions.get(session.token) is session:
            del self._sessions[session.token]

    def close(self) -> None:
        """Ends the stream of writes and the connection."""
        self._channel.close()

    @property
    def is_crowded(self) -> bool:
        """Whether so much waits to be sent that a save should wait first."""
        return self._waiting_bytes > _CROWDED_BYTES

    def send(self, request: bytes) -> None:
        """Queues a WriteRequest; never waits."""
        with self._lock:
            self._waiting_bytes += len(request)
            (self._queue or self._open()).put(request)

    def _open(self) -> "queue.SimpleQueue[bytes | None]":
        writes: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        stream = self._channel.stream_stream(
            f"/{messages.CHECKPOINTS_SERVICE}/Write",
            None,
            messages.WriteAck.FromString,
        )
        acknowledgements = stream(self._outgoing(writes), wait_for_ready=True)
        reader = threading.Thread(target=self._read, args=(acknowledgements, writes), daemon=True)
        reader.start()
        self._queue = writes
        return writes

    def _outgoing(self, writes: "queue.SimpleQueue[bytes | None]") -> Iterator[bytes]:
        while (request := writes.get()) is not None:
            yield request
            with self._lock:
                self._waiting_bytes = max(0, self._waiting_bytes - len(request))

    def _read(self, acknowledgements: Any, writes: "queue.SimpleQueue[bytes | None]") -> None:
        reason = "the host ended the stream of writes"
        try:
            for ack in acknowledgements:
                if (session := self._sessions.get(ack.token)) is None:
                    continue
                if ack.HasField("error"):
                    session.fail(ServiceError(ack.error.code, ack.error.message))
                else:
                    session.acknowledge(ack.seq)
        except grpc.RpcError as error:
            reason = _details(error)
        except Exception as error:  # any error: no caller may wait for this stream any more
            reason = repr(error)
            acknowledgements.cancel()
        with self._lock:
            self._queue = None  # the next write opens a new stream
            self._waiting_bytes = 0
        writes.put(None)
        # Writes in flight may be lost, and a run must not continue over a gap in its checkpoints.
        for session in list(self._sessions.values()):
            session.fail(ServiceError("engine_unavailable", f"The connection broke: {reason}."))

    def load(self, request: Any) -> Any:
        """The checkpoint asked for, or None; waits."""
        return _checkpoint_of(_translated(self._load, request, timeout=_CALL_TIMEOUT_SECONDS))

    def load_later(self, request: Any, done: Callable[[Any, Exception | None], None]) -> None:
        """Like `load`; calls `done` from another thread."""
        call = self._load.future(request, timeout=_CALL_TIMEOUT_SECONDS)

        def finished(_: Any) -> None:
            try:
                found = _checkpoint_of(call.result())
            except grpc.RpcError as error:
                done(None, service_error(error))
            except BaseException as error:  # any error: a caller waits
                done(None, ServiceError("internal", repr(error)))
            else:
                done(found, None)

        call.add_done_callback(finished)

    def list(self, request: Any) -> Any:
        """Iterates over checkpoints, newest first; waits for each."""
        try:
            yield from self._list(request)
        except grpc.RpcError as error:
            raise service_error(error) from error

    def delete_thread(self, request: Any) -> None:
        """Deletes a thread's checkpoints and waits."""
        _translated(self._delete, request)


def _checkpoint_of(response: Any) -> Any:
    return response.checkpoint if response.HasField("checkpoint") else None


def _translated(call: Any, request: Any, timeout: float | None = None) -> Any:
    try:
        return call(request, timeout=timeout)
    except grpc.RpcError as error:
        raise service_error(error) from error


def service_error(error: grpc.RpcError) -> ServiceError:
    """A failed call with a code of the service: the host's own (`code: sentence`), or by status."""
    details = _details(error)
    if named := _NAMED.match(details):
        return ServiceError(named[1], named[2])
    status = error.code() if hasattr(error, "code") else None
    if status is grpc.StatusCode.UNIMPLEMENTED:  # the host serves Store only where there is one
        return ServiceError("store_disabled", "The store is switched off.")
    return ServiceError(_CODES.get(status, "internal"), details)


def _details(error: grpc.RpcError) -> str:
    return (error.details() if hasattr(error, "details") else None) or str(error)
