"""One run of a graph: the request's start, the stream of chunks, the end."""

import copy
import json
from typing import Any

from langgraph.types import Command, Send

from . import messages
from .agents import Agent
from .errors import ServiceError, error_message
from .outbox import Outbox
from .projection import interrupts_to_list, to_json
from .saver import HostSaver
from .session import RunSession

_INTERRUPT = "__interrupt__"
_DURABILITIES = ("async", "sync", "exit")
_PASSED_MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")


async def run_graph(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    """Runs the graph as the request says, with chunks to the outbox; answers the End, without seq.

    Raises only CancelledError, and exceptions that end the process.
    """
    try:
        return await _run(request, agent, session, outbox)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        # sys.exit() in a node is a failure of the agent, not the end of its neighbours' runs.
        return messages.End(status="error", error=error_message(error))


async def _run(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    if agent.error is not None:
        return messages.End(status="error", error=agent.error)
    durability = request.durability or "async"
    if durability not in _DURABILITIES:  # LangGraph takes any text silently
        raise ServiceError("invalid_request", f"There is no durability {durability!r}.")
    session.sync = durability == "sync"
    config = json.loads(request.config_json) if request.config_json else {}
    configurable = config.setdefault("configurable", {})
    configurable.setdefault("thread_id", request.thread_id)
    configurable.setdefault("run_id", request.run_id)

    async with agent.graph(config) as graph:
        head = {}
        if request.head_known:
            head = {"head": request.head if request.HasField("head") else None}
        saver = HostSaver(session, seen_channels=frozenset(graph.stream_channels_list), **head)
        # A shallow copy, not the user's object: what differs is only where state is kept.
        graph = copy.copy(graph)
        graph.checkpointer = saver
        stream = _Stream(graph, request, outbox, session.channel.max_message_bytes)
        async for namespace, mode, payload in graph.astream(
            _input(request),
            config,
            stream_mode=stream.modes,
            subgraphs=True,
            interrupt_before=_nodes(request.interrupt_before),
            interrupt_after=_nodes(request.interrupt_after),
            durability=durability,
        ):
            stream.take(namespace, mode, payload)
        session.check()
        return stream.end()


def _input(request: Any) -> Any:
    start = request.WhichOneof("start")
    if start == "input_json":
        return json.loads(request.input_json)
    if start == "command_json":
        return command_of(json.loads(request.command_json))
    return None


def command_of(raw: dict[str, Any]) -> Command:
    """LangGraph's Command from its JSON form, `goto` with node names or `{node, input}`."""
    goto = raw.get("goto") or ()
    targets = goto if isinstance(goto, list) else [goto] if goto else []
    update = raw.get("update")
    if isinstance(update, list):  # pairs of channel and value
        update = [tuple(pair) for pair in update]
    return Command(
        resume=raw.get("resume"),
        update=update,
        goto=[Send(t["node"], t.get("input")) if isinstance(t, dict) else t for t in targets],
    )


def _nodes(names: Any) -> Any:
    return "*" if "*" in names else list(names) or None


class _Stream:
    """Turns what astream yields into chunks, and remembers what the end needs."""

    def __init__(self, graph: Any, request: Any, outbox: Outbox, limit: int) -> None:
        self._requested = {m for m in request.stream_modes if m in _PASSED_MODES}
        self._subgraphs = request.stream_subgraphs
        self._outbox = outbox
        self._limit = limit
        self._keys = graph.output_channels
        self._selects = graph.output_channels != graph.stream_channels_asis
        self._latest: Any = None
        self._interrupts: dict[Any, Any] = {}
        self._stopped = False
        # As invoke() does: the output is the last of "values", interrupts appear in "updates".
        self.modes = sorted(self._requested | {"values", "updates"})

    def take(self, namespace: tuple[str, ...], mode: str, payload: Any) -> None:
        """One item of the stream."""
        if not namespace:
            if mode == "values":
                self._latest = payload
            elif mode == "updates" and isinstance(payload, dict) and _INTERRUPT in payload:
                self._stopped = True
                for interrupt in payload[_INTERRUPT] or ():
                    self._interrupts[getattr(interrupt, "id", id(interrupt))] = interrupt
        elif not self._subgraphs:
            return
        if mode in self._requested:
            data = _chunk_json(mode, payload)
            self._check(f"a {mode} event", data)
            self._outbox.chunk(mode, "|".join(namespace), data)

    def end(self) -> Any:
        """How the graph ended."""
        end = messages.End(status="interrupted" if self._stopped else "completed")
        interrupts = interrupts_to_list(self._interrupts.values())
        output = self._output()
        if interrupts:
            output = {**output} if isinstance(output, dict) else {}
            output[_INTERRUPT] = interrupts
        data = to_json(output)
        self._check("the output", data)
        end.output_json = data.decode()
        if self._stopped:
            end.interrupts_json = to_json(interrupts).decode()
        return end

    def _output(self) -> Any:
        latest = self._latest
        if not isinstance(latest, dict) or not self._selects:
            return latest
        if isinstance(self._keys, str):
            return latest.get(self._keys)
        return {key: latest[key] for key in self._keys if key in latest}

    def _check(self, what: str, data: bytes) -> None:
        if len(data) > self._limit:
            raise ServiceError(
                "payload_too_large",
                f"The JSON of {what} has {len(data)} bytes, the limit is {self._limit} bytes.",
            )


def _chunk_json(mode: str, payload: Any) -> bytes:
    if mode == "messages":
        message, metadata = payload
        return to_json({"message": message, "metadata": metadata})
    if mode in ("values", "updates") and isinstance(payload, dict) and _INTERRUPT in payload:
        payload = {**payload, _INTERRUPT: interrupts_to_list(payload[_INTERRUPT] or ())}
    data = to_json(payload)
    if mode == "custom" and not data.startswith(b"{"):
        return b'{"value":' + data + b"}"
    return data
