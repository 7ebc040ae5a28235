"""The threads that sync nodes run in, counted per run."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .run_context import current_run_id

# asyncio's default (processors + 4) lets a handful of blocking nodes hold up every other run.
_MAX_THREADS = 200


class RunThreads(ThreadPoolExecutor):
    """The event loop's default executor. Knows for which runs threads still execute code."""

    def __init__(self) -> None:
        super().__init__(max_workers=_MAX_THREADS, thread_name_prefix="agent")
        self._active: Counter[str] = Counter()
        self._guard = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Runs a function in a thread, on account of the run that asks."""
        run_id = current_run_id.get()
        with self._guard:
            self._active[run_id] += 1
        try:
            future = super().submit(fn, *args, **kwargs)
        except BaseException:
            self._left(run_id)
            raise
        # Not when the waiting task is cancelled: a thread cannot be stopped, its future ends later.
        future.add_done_callback(lambda _: self._left(run_id))
        return future

    def _left(self, run_id: str) -> None:
        with self._guard:
            self._active[run_id] -= 1
            if self._active[run_id] <= 0:
                del self._active[run_id]

    def is_active(self, run_id: str) -> bool:
        """Whether a thread still executes code of the run."""
        return run_id in self._active
