"""Any Python value as JSON text, in the form LangGraph's own server gives it."""

import base64
import dataclasses
import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

try:
    import orjson
except ImportError:  # comes with LangGraph today, but is not one of our own needs
    orjson = None  # type: ignore[assignment]

_DEPTH_LIMIT = 200
# Bytes of JSON of one value in an event of a task or a call.
EVENT_LIMIT = 64 * 1024
_PREVIEW = 4 * 1024


def to_json(value: Any) -> bytes:
    """JSON text of a value. Never raises: what has no JSON form becomes its repr."""
    if orjson is not None:
        try:
            return orjson.dumps(value, _default, _OPTIONS)
        except Exception:  # integers beyond 64 bits, lone surrogates, tuple keys, cycles
            pass
    plain = _plain(value, _DEPTH_LIMIT, frozenset())
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()


def bounded(value: Any) -> Any:
    """A value as an event shows it: itself while its JSON is short, otherwise its beginning."""
    return json.loads(bounded_json(value))


def bounded_json(value: Any) -> bytes:
    """JSON text of the same."""
    data = to_json(value)
    if len(data) <= EVENT_LIMIT:
        return data
    preview = data[:_PREVIEW].decode(errors="ignore")
    return to_json({"truncated": True, "bytes": len(data), "preview": preview})


def now_text() -> str:
    """The time as events show it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _simplify(value: Any) -> Any:
    """One level of an object that JSON does not know."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, (set, frozenset)) or type(value).__name__ == "deque":
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (Decimal, complex)):
        return str(value)
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if not isinstance(value, type):
        if hasattr(value, "to_dict"):
            return value.to_dict()
        if hasattr(value, "dict") and hasattr(value, "__fields__"):  # pydantic v1
            return value.dict()
    return repr(value)


def _default(value: Any) -> Any:
    try:
        return _simplify(value)
    except Exception:
        return _name(value)


def _name(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _plain(value: Any, depth: int, above: frozenset[int]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _plain(value.value, depth - 1, above)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth <= 0 or id(value) in above:
        return _plain(_name(value), 1, frozenset())
    above = above | {id(value)}
    if isinstance(value, dict):
        return {_key(k): _plain(v, depth - 1, above) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [_plain(item, depth - 1, above) for item in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value)]
        return {name: _plain(getattr(value, name, None), depth - 1, above) for name in names}
    return _plain(_default(value), depth - 1, above)


def _key(key: Any) -> str:
    if isinstance(key, Enum):
        key = key.value
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    if isinstance(key, (datetime, date, time)):
        key = key.isoformat()
    text = (
        key
        if isinstance(key, str)
        else str(key)
        if isinstance(key, (int, float, UUID))
        else _name(key)
    )
    return text.encode("utf-8", "replace").decode("utf-8")


_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY if orjson is not None else 0
