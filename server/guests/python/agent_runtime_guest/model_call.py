"""One call of an agent's chat model outside of its runs."""

import asyncio
import contextlib
import time
from typing import Any

from .agents import Agent
from .call_usage import usage_of
from .errors import ServiceError
from .factory import Factory
from .model_objects import RecordedCall, find_model, model_name, own_params
from .projection import to_json
from .run_input import parsed

_NOT_FOUND = (
    "The agent has no model object like the one of this call now. A model that a node makes for "
    "itself is gone when the node has ended: make it once, beside the graph, to call it again."
)
_OWN_TYPES = {"human", "ai", "system", "chat", "function", "tool"}


async def call_model(request: Any, agent: Agent) -> dict[str, Any]:
    """The members of the response. Raises what the model does, and ServiceError."""
    given = _object("parameters", request.params_json)
    recorded = _object("recorded parameters", request.recorded_params_json)
    messages = _messages(parsed("list of messages", request.messages_json))
    call = RecordedCall(request.name, request.model, recorded)
    async with contextlib.AsyncExitStack() as stack:
        if isinstance(agent.exported, Factory):
            # Its model may be made with the graph, and is there as long as that is.
            with contextlib.suppress(Exception):
                graph = agent.graph({"configurable": {}}, "assistants.read")
                await stack.enter_async_context(graph)
        # In a thread: all objects of the process are looked through.
        model = await asyncio.to_thread(find_model, call)
        if model is None:
            raise ServiceError("model_not_found", _NOT_FOUND)
        return await _call(model, messages, given)


async def _call(model: Any, messages: list[Any], given: dict[str, Any]) -> dict[str, Any]:
    own = own_params(model)
    # What the model does not have of itself was bound to it, or is new.
    kwargs = {name: value for name, value in given.items() if own.get(name) != value}
    stop = kwargs.pop("stop", None)
    kwargs.pop("_type", None)
    began = time.perf_counter()
    message = await model.ainvoke(messages, stop=stop, **kwargs)
    latency = round((time.perf_counter() - began) * 1000, 3)
    usage = getattr(message, "usage_metadata", None)
    counted = None if usage is None else usage_of(usage)
    return {
        "output_json": to_json(message).decode(),
        "usage_json": "" if counted is None else to_json(counted).decode(),
        "latency_ms": latency,
        "model": model_name(model, **kwargs),
    }


def _object(what: str, text: str) -> dict[str, Any]:
    value = parsed(what, text) if text else {}
    if not isinstance(value, dict):
        raise ServiceError("invalid_request", f"The {what} are not an object.")
    return value


def _messages(values: Any) -> list[Any]:
    from langchain_core.messages import convert_to_messages, messages_from_dict

    made: list[Any] = []
    for index, value in enumerate(values):
        try:
            kind = value["type"] if isinstance(value, dict) and "type" in value else None
            if kind in _OWN_TYPES or (kind or "").endswith("MessageChunk"):
                data = {name: part for name, part in value.items() if name != "type"}
                made += messages_from_dict([{"type": kind, "data": data}])
            else:
                made += convert_to_messages([value])
        except Exception as error:
            sentence = f"messages.{index} is no message of LangChain: {error}"
            raise ServiceError("invalid_request", sentence) from error
    return made
