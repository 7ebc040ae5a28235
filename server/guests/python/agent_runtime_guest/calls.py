"""Stream mode `calls`: model and tool calls of an agent, as LangChain's callbacks report them."""

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult

from .errors import cut
from .projection import bounded, now_text, to_json


class CallsHandler(BaseCallbackHandler):
    """Emits one event at the start of every call and one at its end, of bounded size.

    Callbacks come from the event loop and from the threads of sync nodes.
    """

    # On the thread where they happen: otherwise LangChain hands them to another one.
    run_inline = True

    def __init__(self, emit: Callable[[str, bytes], None]) -> None:
        """`emit` takes the namespace and the JSON of an event; it is called on the event loop."""
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._open: dict[UUID, tuple[float, dict[str, Any]]] = {}

    def on_chat_model_start(
        self, serialized: Any, messages: list[list[Any]], *, run_id: UUID, **about: Any
    ) -> None:
        """A chat model is asked."""
        self._start("model", serialized, messages[0] if messages else [], run_id, about)

    def on_llm_start(
        self, serialized: Any, prompts: list[str], *, run_id: UUID, **about: Any
    ) -> None:
        """A model that completes text is asked."""
        self._start("model", serialized, prompts[0] if prompts else "", run_id, about)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """A model has returned."""
        generation = next((found for group in response.generations for found in group), None)
        message = getattr(generation, "message", None)
        output = message if message is not None else getattr(generation, "text", None)
        usage = getattr(message, "usage_metadata", None)
        self._end(run_id, output, usage or (response.llm_output or {}).get("token_usage"))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A model has failed."""
        self._end(run_id, None, None, error)

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, inputs: Any = None, **about: Any
    ) -> None:
        """A tool is called."""
        given = input_str if inputs is None else inputs
        self._start("tool", serialized, given, run_id, about)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """A tool has returned."""
        self._end(run_id, output, None)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A tool has failed."""
        self._end(run_id, None, None, error)

    def _start(self, kind: str, serialized: Any, given: Any, run_id: UUID, about: Any) -> None:
        metadata = about.get("metadata") or {}
        parent = about.get("parent_run_id")
        call = {
            "kind": kind,
            "id": str(run_id),
            "parent_id": None if parent is None else str(parent),
            "name": _name(serialized, about),
            "model": metadata.get("ls_model_name"),
            "node": metadata.get("langgraph_node"),
            "ns": str(metadata.get("langgraph_checkpoint_ns") or ""),
        }
        self._open[run_id] = (time.perf_counter(), call)
        params = about.get("invocation_params")
        more = {} if params is None else {"params": bounded(params)}
        self._send({**call, "event": "start", "ts": now_text(), "input": bounded(given), **more})

    def _end(
        self, run_id: UUID, output: Any, usage: Any, error: BaseException | None = None
    ) -> None:
        if (found := self._open.pop(run_id, None)) is None:
            return
        began, call = found
        end = {
            "event": "end",
            "ts": now_text(),
            "latency_ms": round((time.perf_counter() - began) * 1000, 3),
            "output": bounded(output),
            "usage": bounded(usage),
            "error": None if error is None else cut(f"{type(error).__name__}: {error}"),
        }
        self._send({**call, **end})

    def _send(self, event: dict[str, Any]) -> None:
        data = to_json(event)
        # The namespace of the graph: that of the task without its last part.
        namespace = event["ns"].rpartition("|")[0]
        try:
            is_here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_here = False
        if is_here:
            self._emit(namespace, data)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._emit, namespace, data)


def _name(serialized: Any, about: dict[str, Any]) -> str:
    known = serialized if isinstance(serialized, dict) else {}
    ids = known.get("id") or [""]
    return str(about.get("name") or known.get("name") or ids[-1])
