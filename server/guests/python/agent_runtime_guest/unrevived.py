"""Stored values whose type is not on the list: data with a note of what it was, saved as such."""

import base64
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde import jsonplus

TYPE_KEY = "__type__"
_VALUE_KEY = "value"


class Unrevived(dict):  # type: ignore[type-arg]
    """What a stored object was made of, with the name of its type under `__type__`.

    A plain dict to all code but our serialiser, which stores it with its type again: also what
    an agent changed in it. Hashable, since a set or a key may have been one.
    """

    __slots__ = ("_code", "_rest", "_type")

    def __init__(self, code: int, parts: Any) -> None:
        """`parts`: module, name and payload, and what else LangGraph's extension `code` has."""
        module, name, payload, *rest = parts
        is_named = isinstance(payload, dict) and all(type(key) is str for key in payload)
        super().__init__(payload if is_named else {_VALUE_KEY: payload})
        self[TYPE_KEY] = f"{module}.{name}"
        self._code = code
        self._type = (module, name, is_named)
        self._rest = rest

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self._type)

    def encoded(self) -> Any:
        """The extension that it was stored as."""
        module, name, is_named = self._type
        given = {key: value for key, value in self.items() if key != TYPE_KEY}
        payload = given if is_named else given.get(_VALUE_KEY)
        data = jsonplus._msgpack_enc((module, name, payload, *self._rest))
        return ormsgpack.Ext(self._code, data)


class UnrevivedBytes(dict):  # type: ignore[type-arg]
    """Stored bytes that nothing is made of: a pickle, or an extension that is not LangGraph's."""

    __slots__ = ("code", "data")

    def __init__(self, what: str, data: bytes, code: int | None = None) -> None:
        super().__init__({TYPE_KEY: what, "base64": base64.b64encode(data).decode("ascii")})
        self.code = code
        self.data = data

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.data)

    def encoded(self) -> Any:
        """The extension that it was stored as; data alone when it was a whole value."""
        return dict(self) if self.code is None else ormsgpack.Ext(self.code, self.data)


def store_unrevived_as_they_were() -> None:
    """From now on LangGraph's msgpack serialiser of this process stores both kinds as before.

    It has no hook for a type of ours, and stores subclasses of dict without calling its default.
    """
    known = jsonplus._msgpack_default

    def default(value: Any) -> Any:
        if isinstance(value, (Unrevived, UnrevivedBytes)):
            return value.encoded()
        for plain in (str, int, dict, list):
            if isinstance(value, plain):
                return plain(value)
        return known(value)

    jsonplus._msgpack_default = default
    jsonplus._option |= ormsgpack.OPT_PASSTHROUGH_SUBCLASS
