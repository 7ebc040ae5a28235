"""One run as the host sees it: its token, its ordered writes and the host's acknowledgements."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .errors import ServiceError
from .host_channel import HostChannel


class RunSession:
    """Numbers the writes of one token and remembers the first one that was refused.

    Used from any thread: sync nodes and sync sub-graphs save from their own threads.
    """

    def __init__(self, channel: HostChannel, token: str, *, sync: bool = False) -> None:
        self.channel = channel
        self.token = token
        self.sync = sync
        self.seq = 0
        self.failure: ServiceError | None = None
        # Called once, from any thread: LangGraph saves in the background and would run on for long.
        self.on_failure: Callable[[], None] | None = None
        self._waiting: dict[int, Future[None]] = {}
        self._lock = threading.Lock()
        channel.register(self)

    def write(self, request: Any) -> "Future[None] | None":
        """Queues a WriteRequest. With a sync run the future ends when the write is durable."""
        request.token = self.token
        with self._lock:
            if self.failure is not None:
                raise self.failure
            request.seq = self.seq + 1
            request.sync = self.sync
            data = request.SerializeToString()
            if len(data) <= self.channel.transport_bytes:
                self.seq += 1
                waiter: Future[None] | None = None
                if self.sync:
                    waiter = self._waiting[self.seq] = _unstoppable()
                self.channel.send(data)
                return waiter
        # It would break the stream, and with it every other run of this guest.
        error = ServiceError(
            "checkpoint_too_large",
            f"A save with all its parts has {len(data)} bytes, "
            f"the limit is {self.channel.max_message_bytes} bytes.",
        )
        self.fail(error)
        raise error

    def check(self) -> None:
        """Raises the failure of an earlier write."""
        if self.failure is not None:
            raise self.failure

    def acknowledge(self, seq: int) -> None:
        """The write and, with it, everything before it is durable."""
        with self._lock:
            waiter = self._waiting.pop(seq, None)
        if waiter is not None:
            waiter.set_result(None)

    def fail(self, error: ServiceError) -> None:
        """From now on every use raises this error. The first failure is kept."""
        with self._lock:
            is_first = self.failure is None
            self.failure = self.failure or error
            waiting, self._waiting = self._waiting, {}
        for waiter in waiting.values():
            waiter.set_exception(error)
        if is_first and self.on_failure is not None:
            self.on_failure()

    def close(self) -> int:
        """Ends the session and returns its last seq. Later writes raise `run_fenced`."""
        self.on_failure = None
        self.fail(ServiceError("run_fenced", "The run has ended; nothing more is saved for it."))
        self.channel.forget(self)
        return self.seq


def _unstoppable() -> "Future[None]":
    """A future that stays open when its waiter is cancelled: others end it."""
    future: Future[None] = Future()
    future.set_running_or_notify_cancel()
    return future
