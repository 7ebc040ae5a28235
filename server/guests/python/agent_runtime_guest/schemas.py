"""JSON schemas of an agent, for Describe."""

from collections.abc import Callable
from typing import Any

from .agents import Agent
from .graph_context import context_schema_of
from .projection import to_json

_ANY_OBJECT = {"type": "object"}


async def add_schemas(agent: Agent, description: Any) -> None:
    """Fills in the schemas. What cannot be made is `{"type": "object"}`: under Python 3.11 a state
    of `typing.TypedDict` makes schema generation raise, and a factory may need a config."""
    try:
        async with agent.graph({"configurable": {}}, "assistants.read") as graph:
            description.input_schema_json = _input_schema(graph)
            description.output_schema_json = _schema(graph.get_output_jsonschema)
            description.state_schema_json = _schema(lambda: _state_schema(graph))
            description.config_schema_json = _schema(lambda: _config_schema(graph))
            if getattr(graph, "context_schema", None) is not None:
                description.context_schema_json = _schema(lambda: context_schema_of(graph))
    except (Exception, SystemExit):
        for name in ("input", "output", "state", "config"):
            setattr(description, f"{name}_schema_json", _schema(lambda: _ANY_OBJECT))


def _input_schema(graph: Any) -> str:
    """Empty for an entrypoint's that cannot be made: its input need not be an object."""
    try:
        return to_json(graph.get_input_jsonschema() or _ANY_OBJECT).decode()
    except Exception:
        is_state_graph = hasattr(graph, "builder")
        return to_json(_ANY_OBJECT).decode() if is_state_graph else ""


def _schema(make: Callable[[], Any]) -> str:
    try:
        return to_json(make() or _ANY_OBJECT).decode()
    except Exception:
        return to_json(_ANY_OBJECT).decode()


def _state_schema(graph: Any) -> Any:
    from langchain_core.runnables.utils import create_model

    keys = graph.stream_channels_asis
    if isinstance(keys, str):
        model = create_model(graph.get_name("State"), __root__=graph.channels[keys].ValueType)
        return model.model_json_schema()
    fields = {key: (graph.channels[key].ValueType, None) for key in keys}
    return create_model(graph.get_name("State"), **fields).model_json_schema()


def _config_schema(graph: Any) -> Any:
    if (schema := context_schema_of(graph)) is not None:
        return schema
    properties = graph.get_config_jsonschema().get("properties", {})
    return properties.get("configurable", _ANY_OBJECT)
