"""A thread's states as LangGraph sees them: with the nodes that run next and their tasks."""

import copy
from collections.abc import AsyncIterator
from typing import Any

from .agents import Agent
from .errors import ServiceError
from .host_store import HostStore
from .invocation import known_of
from .langgraph_library import interrupts_to_list
from .projection import to_json
from .run_input import factory_config_of, parsed, thread_config_of
from .saver import HostSaver
from .session import RunSession

_PLACE = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")


async def read_states(request: Any, agent: Agent, session: RunSession) -> tuple[list[str], bool]:
    """JSON of the states that are asked for, and whether the limit of a message cut them off."""
    config: dict[str, Any] = thread_config_of(request)
    limit = session.channel.max_message_bytes
    found: list[str] = []
    size = 0
    made_with = factory_config_of(request, config)
    async with agent.graph(made_with, "threads.read", store=HostStore(session)) as graph:
        graph = copy.copy(graph)
        graph.checkpointer = HostSaver(session, **known_of(request, graph))
        async for snapshot in _snapshots(graph, config, request):
            data = to_json(_state(snapshot))
            size += len(data)
            if size > limit and found:
                return found, True
            if size > limit:
                message = f"The state has {size} bytes of JSON, the limit is {limit} bytes."
                raise ServiceError("state_too_large", message)
            found.append(data.decode())
    session.check()
    return found, False


async def _snapshots(graph: Any, config: dict[str, Any], request: Any) -> AsyncIterator[Any]:
    if not request.history:
        yield await graph.aget_state(config, subgraphs=request.subgraphs)
        return
    before = None
    if request.before_checkpoint_id:
        before = {"configurable": {"checkpoint_id": request.before_checkpoint_id}}
    async for snapshot in graph.aget_state_history(
        config,
        filter=parsed("filter", request.filter_json) if request.filter_json else None,
        before=before,
        limit=request.history,
    ):
        yield snapshot


def _state(snapshot: Any) -> dict[str, Any]:
    return {
        "values": snapshot.values,
        "next": list(snapshot.next),
        "tasks": [_task(task) for task in snapshot.tasks],
        "metadata": snapshot.metadata,
        "created_at": snapshot.created_at,
        "checkpoint": _checkpoint(snapshot.config),
        "parent_checkpoint": _checkpoint(snapshot.parent_config),
        "interrupts": interrupts_to_list(getattr(snapshot, "interrupts", ())),
    }


def _task(task: Any) -> dict[str, Any]:
    state = task.state
    is_config = isinstance(state, dict)
    return {
        "id": task.id,
        "name": task.name,
        "path": task.path,
        "error": None if task.error is None else str(task.error),
        "interrupts": interrupts_to_list(task.interrupts),
        "checkpoint": _checkpoint(state) if is_config else None,
        "state": None if is_config or state is None else _state(state),
        "result": getattr(task, "result", None),
    }


def _checkpoint(config: Any) -> dict[str, Any] | None:
    if not config:
        return None
    configurable = config.get("configurable", {})
    return {name: configurable[name] for name in _PLACE if name in configurable}
