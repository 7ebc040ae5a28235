"""Stream mode `trace`: what happens in a run, for its history. Only the host asks for it."""

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from .call_callbacks import Call, CallCallbacks
from .call_usage import usage_of
from .projection import bounded, bounded_json, now_text, to_json
from .trace_outcome import outcome_of

_HIDDEN = "langsmith:hidden"


class _Span:
    """A node, a model call or a tool call that is under way."""

    __slots__ = ("began", "has_token", "id", "kind", "ns", "run_id")

    def __init__(self, kind: str, run_id: UUID, ns: Any) -> None:
        self.kind = kind
        self.run_id = run_id
        self.id = str(run_id)
        self.ns = ns
        self.has_token = False
        self.began = time.perf_counter()


class TraceHandler(CallCallbacks):
    """Emits an event at the start and the end of every node, model call and tool call.

    And one at the first token of a model that streams.
    """

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        """`emit` takes the JSON of an event; it is called on the event loop."""
        super().__init__()
        self._emit = emit
        # By run of LangChain: the span that it is, or else the one that it runs in.
        self._spans: dict[UUID, _Span] = {}

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        name: str | None = None,
        **_: Any,
    ) -> None:
        """A graph, a node or a part of one begins."""
        if parent_run_id is None or metadata is None:
            return
        above = self._spans.get(parent_run_id)
        # LangGraph tags nodes `graph:step:N`, but not the tasks of its functional API. All of them
        # run under the name of their task, and are the first to have its namespace.
        if (
            name is not None
            and name == metadata.get("langgraph_node")
            and (above is None or above.ns != metadata.get("langgraph_checkpoint_ns"))
            and (tags is None or _HIDDEN not in tags)
        ):
            self._start("node", run_id, parent_run_id, name, metadata)
        elif above is not None:
            self._spans[run_id] = above

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """It has returned."""
        self._end(run_id, outputs)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """It has failed, or waits for an answer."""
        self._end(run_id, None, error=error)

    def on_retriever_start(
        self,
        serialized: Any,
        query: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """A retriever is asked; it may ask a model itself."""
        if parent_run_id is not None and (above := self._spans.get(parent_run_id)) is not None:
            self._spans[run_id] = above

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **_: Any) -> None:
        """It has returned."""
        self._spans.pop(run_id, None)

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """It has failed."""
        self._spans.pop(run_id, None)

    def on_llm_new_token(self, token: Any, *, run_id: UUID, **_: Any) -> None:
        """A model streams."""
        span = self._spans.get(run_id)
        if span is not None and not span.has_token:
            span.has_token = True
            self._send(to_json({"event": "token", "id": span.id, "ts": now_text()}))

    def on_stream_event(self, event: Any, *, run_id: UUID, **_: Any) -> None:
        """A model streams by LangChain's newer protocol."""
        if isinstance(event, dict) and event.get("event") == "content-block-delta":
            self.on_llm_new_token(None, run_id=run_id)

    def _call_started(self, call: Call) -> None:
        more: dict[str, Any] = {"input": bounded(call.given)}
        if call.kind == "model":
            more |= {
                "params": bounded(call.params),
                "model": _text(call.metadata.get("ls_model_name")),
            }
        self._start(call.kind, call.run_id, call.parent_run_id, call.name, call.metadata, more)

    def _call_ended(
        self, run_id: UUID, output: Any, usage: Any = None, error: BaseException | None = None
    ) -> None:
        self._end(run_id, output, usage, error)

    def _start(
        self,
        kind: str,
        run_id: UUID,
        parent_run_id: UUID | None,
        name: str,
        metadata: dict[str, Any],
        more: dict[str, Any] | None = None,
    ) -> None:
        ns = metadata.get("langgraph_checkpoint_ns")
        above = None if parent_run_id is None else self._spans.get(parent_run_id)
        span = self._spans[run_id] = _Span(kind, run_id, ns)
        step = metadata.get("langgraph_step")
        event = {
            "event": "start",
            "kind": kind,
            "id": span.id,
            "parent_id": None if above is None else above.id,
            "name": name,
            "node": _text(metadata.get("langgraph_node")),
            "step": step if isinstance(step, int) else None,
            "ns": _text(ns) or "",
            "ts": now_text(),
        }
        self._send(to_json(event if more is None else {**event, **more}))

    def _end(
        self, run_id: UUID, output: Any, usage: Any = None, error: BaseException | None = None
    ) -> None:
        span = self._spans.pop(run_id, None)
        if span is None or span.run_id != run_id:
            return
        status = "completed"
        failure = None
        if error is not None:
            status, output, failure = outcome_of(error)
        event = {
            "event": "end",
            "kind": span.kind,
            "id": span.id,
            "ts": now_text(),
            "latency_ms": round((time.perf_counter() - span.began) * 1000, 3),
            "status": status,
            "usage": None if usage is None else usage_of(usage),
            "error": failure,
        }
        # As text, because it may be large: made once.
        self._send(to_json(event)[:-1] + b',"output":' + bounded_json(output) + b"}")

    def _send(self, event: bytes) -> None:
        self._on_loop(self._emit, event)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
