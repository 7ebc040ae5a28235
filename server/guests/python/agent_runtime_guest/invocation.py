"""One run of a graph, from the request to its end."""

import asyncio
import copy
from typing import Any

from langgraph.types import Command

from . import messages
from .agents import Agent
from .errors import ServiceError, error_message
from .graph_context import GraphContext
from .graph_stream import GraphStream
from .host_store import HostStore
from .langgraph_library import stream_options
from .later_attempt import start_again
from .outbox import Outbox
from .run_input import config_of, start_of
from .saver import HostSaver
from .session import RunSession

_DURABILITIES = ("async", "sync", "exit")


async def run_graph(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    """Runs the graph of the request, with chunks to the outbox; returns the End, without seq.

    Raises only CancelledError.
    """
    try:
        return await _run(request, agent, session, outbox)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        # sys.exit() in a node is a failure of the agent, not the end of its neighbours' runs, and
        # so is an exception that is no Exception. A refused save explains every failure after it.
        return messages.End(status="error", error=error_message(session.failure or error))


async def _run(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    durability = request.durability or "async"
    if durability not in _DURABILITIES:  # LangGraph takes any text silently
        raise ServiceError("invalid_request", f"There is no durability {durability!r}.")
    session.sync = durability == "sync"
    config = config_of(request)
    context = GraphContext(request, config)

    store = HostStore(session) if request.store_enabled else None
    needed = {"store": store, "context": context.given}
    async with agent.graph(config, "threads.create_run", **needed) as graph:
        saver = HostSaver(session, **known_of(request, graph))
        # A shallow copy, not the user's object: what differs is only where state is kept. A graph
        # with its own checkpointer gets ours; sub-graphs inherit it.
        graph = copy.copy(graph)
        graph.checkpointer = saver
        if store is not None:
            graph.store = store
        stream = GraphStream(graph, request, outbox, session.channel.max_message_bytes)
        subgraphs = request.stream_subgraphs
        start = await _start(request, config, saver)
        if handlers := _handlers(stream):
            config = {**config, "callbacks": handlers}
        how = {
            "stream_mode": stream.modes,
            "output_keys": stream.output_keys,
            "subgraphs": subgraphs,
            "interrupt_before": _nodes(request.interrupt_before),
            "interrupt_after": _nodes(request.interrupt_after),
            **stream_options(durability=durability, context=context.of(graph)),
        }
        if stream.tells_events:
            from .langchain_events import stream_with_events

            items = stream_with_events(graph, start, config, how, stream.event)
        else:
            items = graph.astream(start, config, **how)
        async for item in items:
            if subgraphs:
                stream.take(*item)
            else:
                stream.take((), *item)
        session.check()
        return stream.end()


def _handlers(stream: GraphStream) -> list[Any]:
    """What LangChain reports to, for the modes that LangGraph does not have."""
    handlers: list[Any] = []
    if stream.tells_calls:
        from .calls import CallsHandler

        handlers.append(CallsHandler(stream.call))
    if stream.tells_trace:
        from .trace import TraceHandler

        handlers.append(TraceHandler(stream.trace))
    return handlers


def known_of(request: Any, graph: Any) -> dict[str, Any]:
    """What a saver knows of the graph, and of the thread as the host sent it along."""
    seen = {"seen_channels": frozenset(graph.stream_channels_list)}
    if not request.head_known:
        return seen
    head = request.head if request.HasField("head") else None
    return {**seen, "thread_id": request.thread_id, "head": head}


async def _start(request: Any, config: dict[str, Any], saver: HostSaver) -> Any:
    start = start_of(request)
    if request.attempt <= 1:
        return start
    saver.restart(request.run_id)
    root = {"thread_id": request.thread_id, "checkpoint_ns": ""}
    base = await saver.aget_tuple({"configurable": root})
    configurable = config["configurable"]
    if base is not None and base.metadata.get("run_id") == request.run_id:
        # A head of this very run has the start in it already, even if it branched off elsewhere.
        configurable.pop("checkpoint_id", None)
        return None
    if not isinstance(start, Command):
        return start
    if checkpoint_id := configurable.get("checkpoint_id"):
        base = await saver.aget_tuple({"configurable": {**root, "checkpoint_id": checkpoint_id}})
    touched = await saver.atouched(request.thread_id)
    again = start_again(start, base, touched, request.run_id)
    if again.is_answered:
        saver.hide_answer()
    return again.value


def _nodes(names: Any) -> Any:
    return "*" if "*" in names else list(names) or None
