"""LangGraph's store over the host's Store service."""

import asyncio
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from . import messages
from .errors import ServiceError
from .projection import to_json
from .session import RunSession


class HostStore(BaseStore):
    """The store of one run: what it may read and write is the host's decision.

    Without an index, `query` and `index` have no effect, as in LangGraph's own stores.
    """

    supports_ttl = True

    def __init__(self, session: RunSession) -> None:
        self._session = session
        self.ttl_config = session.channel.store_ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Executes operations in their order."""
        ops = list(ops)
        if self._session.channel.embeds and any(map(_needs_vectors, ops)) and _is_on_loop():
            # The vectors are made on this loop, which would wait for itself; so LangGraph refuses.
            raise ServiceError(
                "invalid_request",
                "The store is called synchronously on the event loop: "
                "use `await store.aput(...)` and `await store.asearch(...)`.",
            )
        return self._execute_all(ops)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Like `batch`, without blocking."""
        return await asyncio.to_thread(self._execute_all, list(ops))

    def _execute_all(self, ops: Iterable[Op]) -> list[Result]:
        return [self._execute(op) for op in ops]

    def _execute(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list_namespaces(op)
        raise ServiceError("invalid_request", f"The store knows no {type(op).__name__}.")

    def _call(self, method: str, **fields: Any) -> Any:
        request = getattr(messages, f"Store{method}Request")(token=self._session.token, **fields)
        return self._session.channel.call_store(method, request)

    def _get(self, op: GetOp) -> Item | None:
        found = self._call("Get", namespace=op.namespace, key=op.key, refresh_ttl=op.refresh_ttl)
        return Item(**_fields(found.item)) if found.HasField("item") else None

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            self._call("Delete", namespace=op.namespace, key=op.key)
            return
        self._call(
            "Put",
            namespace=op.namespace,
            key=op.key,
            value_json=to_json(op.value).decode(),
            index_json="" if op.index is None else json.dumps(op.index),
            # LangGraph has put the manifest's default in, so None means that the item stays.
            ttl_json=json.dumps(op.ttl),
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = self._call(
            "Search",
            namespace_prefix=op.namespace_prefix,
            filter_json=to_json(op.filter).decode() if op.filter else "",
            limit=op.limit,
            offset=op.offset,
            query=op.query or "",
            refresh_ttl=op.refresh_ttl,
        )
        return [SearchItem(**_fields(item), score=_score(item)) for item in found.items]

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = [
            {"match_type": c.match_type, "path": list(c.path)} for c in op.match_conditions or ()
        ]
        found = self._call(
            "ListNamespaces",
            match_json=to_json(conditions).decode() if conditions else "",
            max_depth=op.max_depth or 0,
            limit=op.limit,
            offset=op.offset,
        )
        return [tuple(namespace.labels) for namespace in found.namespaces]


def _needs_vectors(op: Op) -> bool:
    if isinstance(op, PutOp):
        return op.value is not None and op.index is not False
    return isinstance(op, SearchOp) and bool(op.query)


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _fields(item: Any) -> dict[str, Any]:
    return {
        "namespace": tuple(item.namespace),
        "key": item.key,
        "value": json.loads(item.value_json),
        "created_at": _time(item.created_at),
        "updated_at": _time(item.updated_at),
    }


def _score(item: Any) -> float | None:
    return item.score if item.HasField("score") else None


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
