"""One run of a graph, from the request to its end."""

import asyncio
import copy
from typing import Any

from . import messages
from .agents import Agent
from .errors import ServiceError, error_message
from .graph_stream import GraphStream
from .host_store import HostStore
from .later_attempt import start_again
from .outbox import Outbox
from .run_input import config_of, context_of, start_of
from .saver import HostSaver
from .session import RunSession

_DURABILITIES = ("async", "sync", "exit")


async def run_graph(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    """Runs the graph as the request says, with chunks to the outbox; answers the End, without seq.

    Raises only CancelledError.
    """
    try:
        return await _run(request, agent, session, outbox)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        # sys.exit() in a node is a failure of the agent, not the end of its neighbours' runs, and
        # so is an exception that is no Exception. A refused save explains whatever came after it.
        return messages.End(status="error", error=error_message(session.failure or error))


async def _run(request: Any, agent: Agent, session: RunSession, outbox: Outbox) -> Any:
    durability = request.durability or "async"
    if durability not in _DURABILITIES:  # LangGraph takes any text silently
        raise ServiceError("invalid_request", f"There is no durability {durability!r}.")
    session.sync = durability == "sync"
    config = config_of(request)

    async with agent.graph(config) as graph:
        saver = HostSaver(session, **known_of(request, graph))
        # A shallow copy, not the user's object: what differs is only where state is kept. A graph
        # with a checkpointer of its own gets ours; sub-graphs inherit it.
        graph = copy.copy(graph)
        graph.checkpointer = saver
        if request.store_enabled:
            graph.store = HostStore(session)
        stream = GraphStream(graph, request, outbox, session.channel.max_message_bytes)
        subgraphs = request.stream_subgraphs
        start = await _start(request, config, saver)
        if stream.tells_calls:
            from .calls import CallsHandler

            config = {**config, "callbacks": [CallsHandler(stream.call)]}
        how = {
            "context": context_of(graph, config),
            "stream_mode": stream.modes,
            "subgraphs": subgraphs,
            "interrupt_before": _nodes(request.interrupt_before),
            "interrupt_after": _nodes(request.interrupt_after),
            "durability": durability,
        }
        if stream.tells_events:
            from .run_events import stream_with_events

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


def known_of(request: Any, graph: Any) -> dict[str, Any]:
    """What a saver is told about the graph, and about the thread as the host sent it along."""
    seen = {"seen_channels": frozenset(graph.stream_channels_list)}
    if not request.head_known:
        return seen
    head = request.head if request.HasField("head") else None
    return {**seen, "thread_id": request.thread_id, "head": head}


async def _start(request: Any, config: dict[str, Any], saver: HostSaver) -> Any:
    start = start_of(request)
    if request.attempt <= 1:
        return start
    at_head = {"configurable": {"thread_id": request.thread_id, "checkpoint_ns": ""}}
    again = start_again(start, await saver.aget_tuple(at_head), request.run_id)
    if again.at_head:
        config["configurable"].pop("checkpoint_id", None)
    if again.is_answered:
        saver.hide_answer()
    return again.value


def _nodes(names: Any) -> Any:
    return "*" if "*" in names else list(names) or None
