"""One run as the host sees it: its token, its ordered writes and what the host said about them."""

import threading
from concurrent.futures import Future
from typing import Any

from .errors import ServiceError
from .host_channel import HostChannel


class RunSession:
    """Numbers the writes of one token and remembers the first one that was refused.

    Used from any thread: sync nodes and sync sub-graphs save from threads of their own.
    """

    def __init__(self, channel: HostChannel, token: str, *, sync: bool = False) -> None:
        self.channel = channel
        self.token = token
        self.sync = sync
        self.seq = 0
        self.failure: ServiceError | None = None
        self._waiting: dict[int, Future[None]] = {}
        self._lock = threading.Lock()
        channel.register(self)

    def write(self, request: Any) -> "Future[None] | None":
        """Queues a WriteRequest. With a sync run the future ends when the write is durable."""
        request.token = self.token
        with self._lock:
            if self.failure is not None:
                raise self.failure
            self.seq += 1
            request.seq = self.seq
            request.sync = self.sync
            waiter: Future[None] | None = None
            if self.sync:
                waiter = self._waiting[self.seq] = Future()
            self.channel.send(request.SerializeToString())
            return waiter

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
        """From now on every use raises this error. The first failure stands."""
        with self._lock:
            if self.failure is None:
                self.failure = error
            waiting, self._waiting = self._waiting, {}
        for waiter in waiting.values():
            waiter.set_exception(error)

    def close(self) -> int:
        """Ends the session and answers its last seq. Later writes raise `run_fenced`."""
        self.fail(ServiceError("run_fenced", "The run has ended; nothing more is saved for it."))
        self.channel.forget(self)
        return self.seq
