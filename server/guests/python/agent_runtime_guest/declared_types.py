"""The types that annotations reach: those of a graph's schemas, and those of an agent's modules."""

import contextlib
import dataclasses
import sys
import typing
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

_VALUES = (Enum, date, time, timedelta, tzinfo, Decimal, UUID, PurePath, set, frozenset)
# What LangGraph's serialiser looks for in the objects that it stores.
_METHODS = ("model_dump", "dict", "_asdict", "get_secret_value")
# Of graphs and their builders, by the names of all releases.
_SCHEMAS = ("schema", "state_schema", "input", "input_schema", "output", "output_schema")
_SCHEMAS += ("context_schema", "config_type", "config_schema")


def is_data(found: Any) -> bool:
    """Whether LangGraph's serialiser could have stored an object of this class."""
    if not isinstance(found, type):
        return False
    if dataclasses.is_dataclass(found) or issubclass(found, _VALUES):
        return True
    return any(callable(getattr(found, name, None)) for name in _METHODS)


def schemas_of(graph: Any) -> list[Any]:
    """The classes that a graph's state, input, output and context are declared with."""
    builder = getattr(graph, "builder", None)
    named = [vars(one).get(name) for one in (graph, builder) if one for name in _SCHEMAS]
    return [one for one in (*named, *getattr(builder, "schemas", ())) if one is not None]


def types_of_channels(graph: Any) -> Iterator[Any]:
    """What a graph's channels hold and take."""
    for channel in graph.channels.values():
        for name in ("ValueType", "UpdateType"):
            with contextlib.suppress(Exception):  # a channel that takes or has no values
                yield getattr(channel, name)


def returned_by(function: Any) -> Any:
    """The annotated return type of a function, or None."""
    try:
        return typing.get_type_hints(function).get("return")
    except Exception:  # a name that only a type checker knows
        return None


def walk(annotation: Any, take: Callable[[type], bool]) -> None:
    """Gives each class that an annotation reaches to `take`, and descends into those it accepts."""
    waiting, seen = [annotation], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or one is None or one is Any:
            continue
        seen.add(id(one))
        if isinstance(one, type) and take(one):
            waiting.extend(_members(one))
        origin = typing.get_origin(one)
        if origin is not typing.Literal:
            waiting.extend((origin, *typing.get_args(one)))
        # Of NewType, of `type X = …` and of type variables.
        waiting.extend(getattr(one, name, None) for name in ("__supertype__", "__bound__"))
        if type(one).__name__ == "TypeAliasType":
            waiting.append(one.__value__)


def _members(found: type) -> list[Any]:
    fields = getattr(found, "model_fields", None)
    if isinstance(fields, dict) and fields:
        return [getattr(field, "annotation", None) for field in fields.values()]
    try:
        module = sys.modules.get(found.__module__)
        return list(typing.get_type_hints(found, vars(module) if module else None).values())
    except Exception:  # a name that only a type checker knows
        return [
            one for one in getattr(found, "__annotations__", {}).values() if type(one) is not str
        ]
