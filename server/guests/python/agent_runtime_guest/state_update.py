"""A thread's state, changed from outside between its runs."""

import copy
from typing import Any

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.constants import END, START
from langgraph.graph.message import add_messages
from langgraph.types import StateUpdate

from .agents import Agent
from .carried_writes import carry_writes
from .errors import ServiceError
from .host_store import HostStore
from .invocation import known_of
from .langgraph_library import replacing
from .projection import to_json
from .run_input import factory_config_of, parsed, thread_config_of
from .session import RunSession
from .update_saver import UpdateSaver

_MESSAGES = "messages"
# LangGraph's key for the function that takes a node's writes.
_SEND = "__pregel_send"
_CHECKPOINTER = "__pregel_checkpointer"


async def update_state(request: Any, agent: Agent, session: RunSession) -> tuple[bytes, bool]:
    """Writes the checkpoint; returns the JSON of the state after it, and whether a node is next."""
    config: RunnableConfig = thread_config_of(request)  # type: ignore[assignment]
    values = parsed("values", request.values_json)
    made_with = factory_config_of(request, config)
    async with agent.graph(made_with, "threads.update", store=HostStore(session)) as graph:
        saver = UpdateSaver(session, **known_of(request, graph))
        graph = copy.copy(graph)
        graph.checkpointer = saver
        if request.supersteps_json:
            written = await graph.abulk_update_state(config, _supersteps(request))
        elif request.plain:
            written = await graph.aupdate_state(config, values, as_node=request.as_node or None)
        else:
            written = await _set(graph, saver, config, values, request.as_node)
        session.check()
        state = await graph.aget_state(_checkpoint_config(written))
        data = to_json(state.values)
    limit = session.channel.max_message_bytes
    if len(data) > limit:
        message = f"The state has {len(data)} bytes of JSON, the limit is {limit} bytes."
        raise ServiceError("state_too_large", message)
    return data, bool(state.next)


def _supersteps(request: Any) -> list[list[StateUpdate]]:
    return [
        [StateUpdate(update.get("values"), update.get("as_node")) for update in step]
        for step in parsed("supersteps", request.supersteps_json)
    ]


async def _set(
    graph: Any, saver: UpdateSaver, config: RunnableConfig, values: Any, as_node: str
) -> RunnableConfig:
    """Sets the values without LangGraph's guess at the node that wrote them."""
    owner = _owner(graph, config)
    _check_keys(owner, values)
    head = await saver.aget_tuple(_checkpoint_config(config))
    before = None if head is None else await graph.aget_state(head.config)
    channels, writes = _writes(owner, values, {} if before is None else before.values)
    edges = []
    if as_node:
        edges = _edges(owner, as_node)
    elif head is None:
        edges = _edges(owner, START)
    else:
        writes = [*_kept(owner, head, values), *writes]

    target: dict[str, Any] = {**config.get("configurable", {})}
    if head is not None:
        # Named even when it is the head: LangGraph then leaves pending writes to us.
        target.update(head.config["configurable"])
    if target.get("checkpoint_ns"):
        target[_CHECKPOINTER] = saver  # marks it as this graph's own namespace
    with saver.only_checkpoints():
        written: RunnableConfig = await _written_by(owner, channels, writes, edges).aupdate_state(
            {**config, "configurable": target}, {}, as_node=_node_to_write_as(owner)
        )
    if head is not None and before is not None and not as_node:
        await carry_writes(graph, saver, head, before, _checkpoint_config(written))
    return written


def _owner(graph: Any, config: RunnableConfig) -> Any:
    """The graph or sub-graph that a namespace belongs to."""
    namespace = config["configurable"].get("checkpoint_ns", "")
    if not namespace:
        return graph
    path = "|".join(part.split(":")[0] for part in namespace.split("|") if not part.isdigit())
    for _, found in graph.get_subgraphs(namespace=path, recurse=True):
        return found
    raise ServiceError("invalid_request", f"The agent has no sub-graph {path!r}.")


def _check_keys(graph: Any, values: Any) -> None:
    if not isinstance(values, dict):
        raise ServiceError("invalid_request", "The values are not an object.")
    known = [name for name in graph.stream_channels_list if not name.startswith("__")]
    for name in values:
        if name not in known:
            has = f"it has {', '.join(sorted(known))}" if known else "it has none"
            message = f"The agent's state has no key {name!r}; {has}."
            raise ServiceError("invalid_request", message)


def _writes(
    graph: Any, values: dict[str, Any], current: Any
) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """The writes that set the values, and the channels that have to be others for that."""
    if _MESSAGES in values:
        before = current.get(_MESSAGES) if isinstance(current, dict) else None
        values = {**values, _MESSAGES: add_messages(before or [], _whole(values[_MESSAGES]))}
    channels, writes = {}, []
    for name, value in values.items():
        channel = graph.channels[name]
        if _is(channel, "BinaryOperatorAggregate", "DeltaChannel"):  # would add the value
            channels[name], value = replacing(channel, value)
        writes.append((name, value))
    return channels, writes


def _whole(messages: Any) -> Any:
    """LangChain wants a content of a removal too."""
    if isinstance(messages, list):
        return [_whole(message) for message in messages]
    is_removal = isinstance(messages, dict) and messages.get("type") == "remove"
    return {"content": "", **messages} if is_removal else messages


def _kept(graph: Any, head: CheckpointTuple, values: dict[str, Any]) -> list[tuple[str, Any]]:
    """What LangGraph forgets with every step, written anew: it is what runs next."""
    kept: list[tuple[str, Any]] = []
    for name, value in head.checkpoint["channel_values"].items():
        channel = graph.channels.get(name)
        if name in values or channel is None:
            continue
        if _is(channel, "EphemeralValue"):
            kept.append((name, value))
        elif _is(channel, "Topic") and not channel.accumulate and isinstance(value, list):
            kept.extend((name, item) for item in value)
    return kept


def _edges(graph: Any, node: str) -> list[Any]:
    """The writers of a node; given no values they only follow its edges."""
    if node == END:
        return []
    if node not in graph.nodes:
        raise ServiceError("invalid_request", f"The agent has no node {node!r}.")
    return list(graph.nodes[node].flat_writers)


def _node_to_write_as(graph: Any) -> str:
    return START if START in graph.nodes else str(next(iter(graph.nodes)))


def _written_by(
    graph: Any, channels: dict[str, Any], writes: list[tuple[str, Any]], edges: list[Any]
) -> Any:
    """The graph with these channels and a node whose writers make just these writes."""

    async def send(value: Any, config: RunnableConfig) -> Any:
        config["configurable"][_SEND](writes)
        return value

    name = _node_to_write_as(graph)
    node = copy.copy(graph.nodes[name])
    node.__dict__["flat_writers"] = [RunnableLambda(send), *edges]  # a cached property
    graph = copy.copy(graph)
    graph.nodes = {**graph.nodes, name: node}
    graph.channels = {**graph.channels, **channels}
    return graph


def _is(channel: Any, *names: str) -> bool:
    return any(kind.__name__ in names for kind in type(channel).__mro__)


def _checkpoint_config(config: RunnableConfig) -> RunnableConfig:
    """Only what names a checkpoint."""
    configurable = config["configurable"]
    names = ("thread_id", "checkpoint_ns", "checkpoint_id")
    known = {name: configurable[name] for name in names if configurable.get(name) is not None}
    return {"configurable": {"checkpoint_ns": "", **known}}
