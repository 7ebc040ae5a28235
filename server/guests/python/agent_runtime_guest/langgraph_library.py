"""What differs between the releases of LangGraph that are served (0.5, 0.6 and 1.x).

The one module that knows. It imports LangGraph inside functions: the guest reports what is missing
also where there is none. Differences are found by looking, not by comparing releases.
"""

import contextlib
import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any


def stream_options(*, durability: str, context: Any) -> dict[str, Any]:
    """Arguments of `astream` for how long a step waits for its checkpoint, and for the context.

    LangGraph 0.5 has neither: there `sync` is as `async`, and nodes find their settings in
    `configurable` alone.
    """
    if _takes_durability():
        return {"durability": durability, "context": context}
    return {"checkpoint_during": durability != "exit"}


@cache
def _takes_durability() -> bool:
    from langgraph.pregel import Pregel

    return "durability" in inspect.signature(Pregel.astream).parameters


# ---------------------------------------------------------------- interrupts


def interrupts_to_list(interrupts: Iterable[Any]) -> list[dict[str, Any]]:
    """Interrupts as `[{id, value}]`."""
    return [
        {"id": interrupt_id(item), "value": getattr(item, "value", item)} for item in interrupts
    ]


def interrupt_id(item: Any) -> str | None:
    """The id that an interrupt, or its form in an event, is answered by; None for other values."""
    if isinstance(item, Mapping):
        found, namespace = item.get("id"), item.get("ns")
    else:
        found, namespace = getattr(item, "id", None), getattr(item, "ns", None)
    if found is None and isinstance(namespace, (list, tuple)):  # before 0.6
        return interrupt_id_in("|".join(namespace), 0)
    return found


def interrupt_id_in(namespace: str, answered: int) -> str:
    """The id of what a task in this namespace asks when it has been given so many answers."""
    from langgraph import types

    if (by_count := getattr(types, "_interrupt_id", None)) is not None:
        return by_count(namespace, answered)
    # One id for all questions of a task.
    if hasattr(types.Interrupt, "from_ns"):
        return types.Interrupt.from_ns(None, ns=namespace).id
    return types.Interrupt(value=None, ns=namespace.split("|")).interrupt_id


def moved_interrupt(interrupt: Any, namespace: str, answered: int) -> Any:
    """The same question, asked in another namespace."""
    if hasattr(interrupt, "id"):
        return dataclasses.replace(interrupt, id=interrupt_id_in(namespace, answered))
    return dataclasses.replace(interrupt, ns=namespace.split("|"))


def task_result(result: Any) -> Any:
    """What a task wrote, by channel: LangGraph 0.5 reports it as pairs."""
    is_pairs = isinstance(result, list) and all(type(r) is tuple and len(r) == 2 for r in result)
    return dict(result) if is_pairs else result


# ---------------------------------------------------------------- tools


def write_deltas(write: Callable[[Any], None]) -> Callable[[], None]:
    """Called as a tool begins: what its `ToolRuntime.emit_output_delta` is given goes to `write`.

    Returns what is called at its end. Before 1.2 tools have nothing of that kind. An agent's code
    that streams a graph in the mode `tools` itself takes its parts away from here.
    """
    try:
        from langgraph.pregel._tools import _tool_call_writer as current
    except ImportError:
        return lambda: None
    token = current.set(write)

    def undo() -> None:
        # As in LangGraph: the end may come in another context, which ends with its task.
        with contextlib.suppress(ValueError):
            current.reset(token)

    return undo


# ---------------------------------------------------------------- channels


def replacing(channel: Any, value: Any) -> tuple[Any, Any]:
    """The channel and the value to write to it so that it has this value, with any reducer.

    The channel is the given one where LangGraph has Overwrite (1.1), otherwise one that replaces.
    """
    try:
        from langgraph.types import Overwrite
    except ImportError:
        from langgraph.channels import BinaryOperatorAggregate

        other = BinaryOperatorAggregate(channel.ValueType, _second)
        other.key = channel.key
        return other, value
    return channel, Overwrite(value)


def _second(_: Any, value: Any) -> Any:
    return value


def delta_channel() -> Any:
    """The class DeltaChannel, or None before 1.2."""
    try:
        from langgraph.channels.delta import DeltaChannel
    except ImportError:
        return None
    return DeltaChannel


def runnable_callable() -> Any:
    """The class that runs a node's function."""
    try:
        from langgraph._internal._runnable import RunnableCallable
    except ImportError:  # before 0.6
        from langgraph.utils.runnable import RunnableCallable
    return RunnableCallable
