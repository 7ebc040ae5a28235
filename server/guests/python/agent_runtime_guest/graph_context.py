"""The context of a run: what LangGraph gives to nodes as `runtime.context`.

As LangGraph's server does it: what the graph's context schema does not name is left out, what it
names is checked and defaulted by LangGraph itself, and the same values are under `configurable`.
"""

import weakref
from typing import Any

from .errors import ServiceError
from .run_input import parsed

# The keys of a checkpoint's position are not part of a run's context.
_POSITION_KEYS = frozenset(
    {"thread_id", "run_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"}
)


class GraphContext:
    """The context that a request brings, shown under `configurable` of its config from here on."""

    def __init__(self, request: Any, config: dict[str, Any]) -> None:
        """Raises ServiceError when the context is not a JSON object."""
        context = parsed("context", request.context_json) if request.context_json else {}
        if not isinstance(context, dict):
            raise ServiceError("invalid_request", "The context is not an object.")
        #: As it was sent, which is what a factory gets.
        self.given: dict[str, Any] = context
        self._configurable = config["configurable"]
        self._mirrored = {name for name in context if self._is_shown(name)}
        self._configurable.update({name: context[name] for name in self._mirrored})

    def of(self, graph: Any) -> dict[str, Any]:
        """What `astream` takes as `context` for this graph."""
        names = _names(graph)
        unknown = set() if names is None else self.given.keys() - names
        for name in unknown & self._mirrored:
            del self._configurable[name]
        return {name: value for name, value in self.given.items() if name not in unknown}

    def _is_shown(self, name: str) -> bool:
        return not (name in self._configurable or name in _POSITION_KEYS or name.startswith("__"))


def context_schema_of(graph: Any) -> dict[str, Any] | None:
    """The JSON schema of the graph's context; None without one. Raises what making it raises."""
    make = getattr(graph, "get_context_jsonschema", None)
    return make() if make is not None else None


def _names(graph: Any) -> frozenset[str] | None:
    """The members that the context schema names; None: any, also where they are not known."""
    schema = getattr(graph, "context_schema", None)  # LangGraph 0.5 has none
    if schema is None:
        return None
    if schema not in _known:  # making a JSON schema takes milliseconds
        try:
            properties = (context_schema_of(graph) or {}).get("properties")
        except Exception:  # of a `typing.TypedDict` under Python 3.11, for example
            properties = None
        _known[schema] = frozenset(properties) if properties else None
    return _known[schema]


_known: "weakref.WeakKeyDictionary[type, frozenset[str] | None]" = weakref.WeakKeyDictionary()
