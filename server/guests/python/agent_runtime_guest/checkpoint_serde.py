"""LangGraph's serialiser for checkpoints, which makes objects of the types on the list alone."""

import contextlib
import json
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from .revivable_types import RevivableTypes, revivable
from .unrevived import Unrevived, UnrevivedBytes

# LangGraph's extensions. How many it has differs between its releases.
_SINGLE_ARG, _POS_ARGS, _KW_ARGS, _METHOD, _PYDANTIC_V1, _PYDANTIC_V2, _NUMPY, _DELTA = range(8)
_OWN_TAGS = frozenset(("null", "bytes", "bytearray"))


class CheckpointSerde(JsonPlusSerializer):
    """Stores as LangGraph does. Reading, it calls nothing by a name that stored bytes have.

    LangGraph's strict mode, which newer releases have, has too short a list, forgets the type of
    what is not on it, and imports modules by name.
    """

    def __init__(self, types: RevivableTypes = revivable) -> None:
        super().__init__()
        self._types = types

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The tag and the bytes of a value."""
        if type(obj) is UnrevivedBytes and obj.code is None:
            return obj["__type__"], obj.data
        return super().dumps_typed(obj)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value of a tag and bytes."""
        tag, stored = data
        if tag in _OWN_TAGS:
            return super().loads_typed(data)
        with contextlib.suppress(ValueError):
            if tag == "msgpack":
                return self._unpacked(stored)
            if tag == "json":  # of releases before those that are served: plain data
                return json.loads(stored)
        return UnrevivedBytes(tag, bytes(stored))

    def with_msgpack_allowlist(self, extra_allowlist: Any) -> "CheckpointSerde":
        """Itself: a graph's types are on the list already."""
        return self

    def _unpacked(self, data: Any) -> Any:
        return ormsgpack.unpackb(data, ext_hook=self._extension, option=ormsgpack.OPT_NON_STR_KEYS)

    def _extension(self, code: int, data: bytes) -> Any:
        try:
            parts = self._unpacked(data)
            if code == _NUMPY:
                return _numpy_array(*parts)
            if code == _DELTA:
                return _delta_snapshot(parts)
            if 0 <= code < _NUMPY and type(parts[0]) is str and type(parts[1]) is str:
                return self._revived(code, parts)
        except Exception:
            pass  # not LangGraph's, or broken
        return UnrevivedBytes(f"msgpack extension {code}", bytes(data), code)

    def _revived(self, code: int, parts: Any) -> Any:
        module, name, payload, *rest = parts
        if code == _METHOD:
            is_known = rest == ["fromisoformat"]
            found = self._types.find_datetime(module, name) if is_known else None
        else:
            found = self._types.find(module, name)
        if found is not None:
            try:
                return _made(found, code, payload)
            except Exception:
                pass  # a type that has changed since, and is one of another system
        return Unrevived(code, parts)


def _made(found: Any, code: int, payload: Any) -> Any:
    if code == _SINGLE_ARG:
        return found(payload)
    if code == _POS_ARGS:
        is_timed = found.__name__ == "Send" and len(payload) == 3
        return found(*payload[:2], timeout=payload[2]) if is_timed else found(*payload)
    if code == _KW_ARGS:
        return found(**payload)
    if code == _METHOD:
        return found.fromisoformat(payload)
    try:
        return found(**payload)
    except Exception:
        return (found.construct if code == _PYDANTIC_V1 else found.model_construct)(**payload)


def _numpy_array(dtype: str, shape: Any, order: Any, data: bytes) -> Any:
    import numpy

    return numpy.frombuffer(data, dtype=numpy.dtype(dtype)).reshape(shape, order=order)


def _delta_snapshot(value: Any) -> Any:
    from langgraph.checkpoint.serde.types import _DeltaSnapshot

    return _DeltaSnapshot(value)
