"""The events of one run on their way to the host."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from . import messages

# Events within this time share a message. A short run sends everything with its end.
_GATHER_SECONDS = 0.002
_BATCH_BYTES = 1024 * 1024


class Outbox:
    """Collects events and gives them out in batches, each as soon as it is worth a message."""

    def __init__(self) -> None:
        self._batches: list[list[Any]] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._ready = asyncio.Event()
        self.ended = False

    def chunk(self, mode: str, namespace: str, json: bytes) -> None:
        """Adds a chunk; after the end it is dropped."""
        if self.ended:
            return
        chunk = messages.Chunk(mode=mode, ns=namespace, json=json.decode())
        self._add(messages.InvokeEvent(chunk=chunk), len(json))
        if self._bytes >= _BATCH_BYTES:
            self._ready.set()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_GATHER_SECONDS, self._ready.set)

    def end(self, end: Any) -> None:
        """Adds the end; the first one counts."""
        if self.ended:
            return
        self.ended = True
        self._add(messages.InvokeEvent(end=end), len(end.output_json))
        self._ready.set()

    def _add(self, event: Any, size: int) -> None:
        # A message holds many small events or one large one: the transport has its limit.
        if not self._batches or self._bytes + size > _BATCH_BYTES:
            self._batches.append([])
            self._bytes = 0
        self._batches[-1].append(event)
        self._bytes += size

    async def batches(self) -> AsyncIterator[Any]:
        """InvokeEvents messages up to and including the end."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            batches, self._batches, self._bytes = self._batches, [], 0
            last = self.ended
            for events in batches:
                yield messages.InvokeEvents(events=events)
            if last:
                return
