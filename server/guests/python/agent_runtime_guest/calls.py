"""Stream mode `calls`: model and tool calls of an agent."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from .call_callbacks import Call, CallCallbacks
from .errors import cut
from .langgraph_library import write_deltas
from .projection import bounded, now_text, to_json


class CallsHandler(CallCallbacks):
    """Emits one event at the start of every call, one at its end and one for each part of its
    output that a tool streams in between, of bounded size.
    """

    def __init__(self, emit: Callable[[str, bytes], None]) -> None:
        """`emit` takes the namespace and the JSON of an event; it is called on the event loop."""
        super().__init__()
        self._emit = emit
        self._open: dict[UUID, tuple[float, dict[str, Any]]] = {}
        self._streaming: dict[UUID, Callable[[], None]] = {}

    def _call_started(self, call: Call) -> None:
        parent, metadata = call.parent_run_id, call.metadata
        about = {
            "kind": call.kind,
            "id": str(call.run_id),
            "parent_id": None if parent is None else str(parent),
            "name": call.name,
            "model": metadata.get("ls_model_name"),
            "node": metadata.get("langgraph_node"),
            "ns": str(metadata.get("langgraph_checkpoint_ns") or ""),
        }
        if call.tool_call_id is not None:
            about["tool_call_id"] = call.tool_call_id
        self._open[call.run_id] = (time.perf_counter(), about)
        if call.kind == "tool":
            streamed = partial(self._streamed, call.run_id)
            self._streaming[call.run_id] = write_deltas(streamed)
        more = {} if call.params is None else {"params": bounded(call.params)}
        given = bounded(call.given)
        self._send({**about, "event": "start", "ts": now_text(), "input": given, **more})

    def _streamed(self, run_id: UUID, delta: Any) -> None:
        if (found := self._open.get(run_id)) is not None:
            _, about = found
            self._send({**about, "event": "delta", "ts": now_text(), "delta": bounded(delta)})

    def _call_ended(
        self, run_id: UUID, output: Any, usage: Any = None, error: BaseException | None = None
    ) -> None:
        if (found := self._open.pop(run_id, None)) is None:
            return
        if (undo := self._streaming.pop(run_id, None)) is not None:
            undo()
        began, about = found
        end = {
            "event": "end",
            "ts": now_text(),
            "latency_ms": round((time.perf_counter() - began) * 1000, 3),
            "output": bounded(output),
            "usage": bounded(usage),
            "error": None if error is None else cut(f"{type(error).__name__}: {error}"),
        }
        self._send({**about, **end})

    def _send(self, event: dict[str, Any]) -> None:
        # The namespace of the graph: that of the task without its last part.
        self._on_loop(self._emit, event["ns"].rpartition("|")[0], to_json(event))
