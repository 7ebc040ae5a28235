"""What a graph streams, as chunks for the host and as what the end of the run needs."""

from typing import Any

from . import messages
from .errors import ServiceError, cut
from .langgraph_library import interrupt_id, interrupts_to_list, task_result
from .outbox import Outbox
from .projection import bounded, now_text, to_json

_INTERRUPT = "__interrupt__"
_MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")


class GraphStream:
    """Takes the items of one astream()."""

    def __init__(self, graph: Any, request: Any, outbox: Outbox, limit: int) -> None:
        self._requested = {mode for mode in request.stream_modes if mode in _MODES}
        self._outbox = outbox
        self._limit = limit
        # As invoke() does, and LangGraph's server for every mode: what the output schema has.
        self.output_keys = graph.output_channels
        self._latest: Any = None
        self._interrupts: dict[Any, Any] = {}
        self._stopped = False
        # As invoke() does: the output is the last of "values", interrupts appear in "updates".
        self.modes = sorted(self._requested | {"values", "updates"})
        self._subgraphs = request.stream_subgraphs
        # LangGraph has no such modes: their events come from callbacks.
        self.tells_calls = "calls" in request.stream_modes
        self.tells_trace = "trace" in request.stream_modes
        self.tells_events = "events" in request.stream_modes

    def take(self, namespace: tuple[str, ...], mode: str, payload: Any) -> None:
        """One item of the stream."""
        if not namespace:
            self._remember(mode, payload)
        if mode in self._requested:
            data = _chunk_json(mode, payload)
            self._check_size(f"a {mode} event", data)
            self._outbox.chunk(mode, "|".join(namespace), data)

    def call(self, namespace: str, data: bytes) -> None:
        """One event of a model or tool call."""
        self._outbox.chunk("calls", namespace if self._subgraphs else "", data)

    def trace(self, data: bytes) -> None:
        """One event of what happens in the run."""
        self._outbox.chunk("trace", "", data)

    def event(self, event: Any) -> None:
        """One event of LangChain's astream_events."""
        data = to_json(event)
        self._check_size("an event", data)
        self._outbox.chunk("events", "", data)

    def _remember(self, mode: str, payload: Any) -> None:
        if mode == "values":
            self._latest = payload
        elif mode == "updates" and isinstance(payload, dict) and _INTERRUPT in payload:
            # Empty at a breakpoint (interrupt_before, interrupt_after).
            self._stopped = True
            for interrupt in payload[_INTERRUPT] or ():
                self._interrupts[interrupt_id(interrupt) or id(interrupt)] = interrupt

    def end(self) -> Any:
        """The End of a graph that raised nothing."""
        end = messages.End(status="interrupted" if self._stopped else "completed")
        interrupts = interrupts_to_list(self._interrupts.values())
        output = self._latest
        if interrupts:
            output = {**output} if isinstance(output, dict) else {}
            output[_INTERRUPT] = interrupts
        data = to_json(output)
        self._check_size("the output", data)
        end.output_json = data.decode()
        if self._stopped:
            end.interrupts_json = to_json(interrupts).decode()
        return end

    def _check_size(self, what: str, data: bytes) -> None:
        if len(data) > self._limit:
            raise ServiceError(
                "payload_too_large",
                f"The JSON of {what} has {len(data)} bytes, the limit is {self._limit} bytes.",
            )


def _chunk_json(mode: str, payload: Any) -> bytes:
    if mode == "messages":
        message, metadata = payload
        return to_json({"message": message, "metadata": metadata})
    if mode == "tasks" and isinstance(payload, dict):
        return to_json(_task_event(payload))
    if mode in ("values", "updates") and isinstance(payload, dict) and _INTERRUPT in payload:
        payload = {**payload, _INTERRUPT: interrupts_to_list(payload[_INTERRUPT] or ())}
    data = to_json(payload)
    if mode == "custom" and not data.startswith(b"{"):
        return b'{"value":' + data + b"}"
    return data


def _task_event(payload: dict[str, Any]) -> dict[str, Any]:
    """LangGraph's own event of a task with the time, and with what may be long cut."""
    event = {**payload, "ts": now_text()}
    if "input" in event:
        return {"event": "start", **event, "input": bounded(event["input"])}
    error = event.get("error")
    return {
        "event": "end",
        **event,
        "result": bounded(task_result(event.get("result"))),
        "error": None if error is None else cut(f"{type(error).__name__}: {error}"),
        "interrupts": [
            {"id": interrupt_id(i), "value": bounded(i.get("value"))}
            for i in event.get("interrupts") or ()
        ],
    }
