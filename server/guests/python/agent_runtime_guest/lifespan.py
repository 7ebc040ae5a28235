"""An application's lifespan: what it does before its first request, and after its last."""

import asyncio
from typing import Any


class Lifespan:
    """ASGI's lifespan protocol. An application may do without it."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._task: asyncio.Task[None] | None = None
        self._events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self._replies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._error: BaseException | None = None
        self.state: dict[str, Any] = {}  # of every request, too

    async def start(self) -> None:
        """Returns when the application is ready; raises why it is not."""
        self._task = asyncio.create_task(self._run())
        await self._ask("startup")

    async def stop(self) -> None:
        """Lets the application end what it began; raises likewise."""
        if self._task is None or self._task.done():
            return
        await self._ask("shutdown")

    async def _ask(self, phase: str) -> None:
        self._events.put_nowait({"type": f"lifespan.{phase}"})
        reply = await self._replies.get()
        if reply["type"] != f"lifespan.{phase}.failed":
            return
        # Starlette sends a whole traceback as the message, and then raises the error.
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=1)
        raise self._error or RuntimeError(reply.get("message") or f"its {phase} failed")

    async def _run(self) -> None:
        phase = "startup"
        has_asked = False

        async def receive() -> dict[str, str]:
            nonlocal has_asked
            has_asked = True
            return await self._events.get()

        async def send(message: dict[str, Any]) -> None:
            nonlocal phase
            self._replies.put_nowait(message)
            if message["type"] == "lifespan.startup.complete":
                phase = "shutdown"

        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        outcome = "complete"
        try:
            await self._app(scope, receive, send)
        except BaseException as error:
            # One that refuses the scope before it asks for anything has no lifespan.
            if has_asked:
                self._error, outcome = error, "failed"
        self._replies.put_nowait({"type": f"lifespan.{phase}.{outcome}"})
