"""Checkpoints between LangGraph's form and the contract's."""

from typing import Any

from langgraph.checkpoint.base import CheckpointTuple, SerializerProtocol

from . import messages
from .errors import KEPT_LIMIT, ServiceError, cut
from .langgraph_library import interrupts_to_list
from .projection import to_json

INTERRUPT = "__interrupt__"
ERROR = "__error__"
# Channels with a dunder name that are nevertheless the user's state: a state that is no dict, and
# the result of a functional API entrypoint.
_SEEN_DUNDERS = frozenset({"__root__", "__end__"})
# What LangGraph's JavaScript serialiser calls its form; the one of Python has "msgpack".
_JAVASCRIPT_TAG = "json"
_FOREIGN_THREAD = (
    "This thread was run by a JavaScript agent: a Python agent cannot read its checkpoints. "
    "Use another thread."
)
_OWN_PREFIXES = ("__", "branch:", "join:")


def is_seen_below_root(channel: str) -> bool:
    """Whether a sub-graph's channel is state that a user sees, and not LangGraph's own."""
    return channel in _SEEN_DUNDERS or not channel.startswith(_OWN_PREFIXES)


def state_json(value: Any) -> bytes:
    """JSON projection of a channel's value."""
    if type(value).__name__ == "_DeltaSnapshot":
        value = value.value
    return to_json(value)


def encode_write(
    serde: SerializerProtocol, task_id: str, task_path: str, index: int, channel: str, value: Any
) -> Any:
    """One pending write."""
    if channel == ERROR:
        # Kept for people to read, so what a node raised must not make the write too large.
        text = _repr(value)
        value = value if len(text) <= KEPT_LIMIT else cut(text, KEPT_LIMIT)
    tag, data = serde.dumps_typed(value)
    write = messages.Write(task_id=task_id, task_path=task_path, index=index, channel=channel)
    write.value.tag = tag
    write.value.data = bytes(data)
    if channel == INTERRUPT:
        items = value if isinstance(value, (list, tuple)) else (value,)
        write.json = to_json(interrupts_to_list(items)).decode()
    elif channel == ERROR:
        write.json = to_json(value if isinstance(value, str) else _repr(value)).decode()
    return write


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return type(value).__name__


def decode_checkpoint(serde: SerializerProtocol, message: Any) -> CheckpointTuple:
    """A stored checkpoint with its values and pending writes."""
    if message.skeleton.tag == _JAVASCRIPT_TAG:
        raise ServiceError("agent_error", _FOREIGN_THREAD)
    checkpoint = serde.loads_typed((message.skeleton.tag, message.skeleton.data))
    metadata = serde.loads_typed((message.metadata.tag, message.metadata.data))
    if type(checkpoint) is not dict or type(metadata) is not dict:
        raise ServiceError("agent_error", "The stored checkpoint is not one of LangGraph's.")
    checkpoint["channel_values"] = {
        blob.channel: serde.loads_typed((blob.value.tag, blob.value.data)) for blob in message.blobs
    }
    parent = message.parent_checkpoint_id
    return CheckpointTuple(
        config=_config(message, message.checkpoint_id),
        checkpoint=checkpoint,
        metadata=metadata,
        parent_config=_config(message, parent) if parent else None,
        pending_writes=[
            (w.task_id, w.channel, serde.loads_typed((w.value.tag, w.value.data)))
            for w in writes_in_order(message)
        ],
    )


def writes_in_order(message: Any) -> list[Any]:
    """The pending writes of a message, in the order in which LangGraph gets them."""
    return sorted(message.writes, key=lambda w: (w.task_path, w.task_id, w.index))


def _config(message: Any, checkpoint_id: str) -> Any:
    return {
        "configurable": {
            "thread_id": message.thread_id,
            "checkpoint_ns": message.checkpoint_ns,
            "checkpoint_id": checkpoint_id,
        }
    }


def task_name(task_id: str, task_path: str) -> str:
    """A task by its node where LangGraph names it: `~__pregel_pull, node`."""
    kind, _, node = task_path.rpartition(", ")
    return f"task {node!r}" if kind.endswith("__pregel_pull") else f"task {task_id}"


def check_size(what: str, parts: dict[str, int], rest: int, limit: int) -> None:
    """Raises `checkpoint_too_large`, naming the largest channel, when all exceeds the limit."""
    total = sum(parts.values()) + rest
    if total <= limit:
        return
    largest = max(parts, key=parts.__getitem__, default="")
    named = f"; its largest channel is {largest!r} with {parts[largest]} bytes" if parts else ""
    raise ServiceError(
        "checkpoint_too_large",
        f"The {what} has {total} bytes, the limit is {limit} bytes{named}.",
    )
