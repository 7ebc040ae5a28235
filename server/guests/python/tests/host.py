"""A host for the tests: Checkpoints, Store and Api in memory, as strict as the contract."""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc

from agent_runtime_guest import messages


class MemoryHost:
    """Serves on a unix socket. What a guest wrote can be read from `writes` in its order."""

    def __init__(self, socket: str) -> None:
        self.socket = socket
        self.writes: dict[str, list[Any]] = defaultdict(list)  # token -> WriteRequests
        self.loads: dict[str, list[Any]] = defaultdict(list)  # token -> LoadRequests
        self.items: dict[tuple[tuple[str, ...], str], str] = {}
        self.run_of: dict[str, str] = {}  # token -> run, where the host knows it
        # token -> decides about a write: an Error refuses it, None takes it. May wait.
        self.judge: dict[str, Callable[[Any], Any]] = {}
        # token -> called with a write that has been taken, before it is acknowledged.
        self.taken: dict[str, Callable[[Any], Any]] = {}
        self.closed_to: set[str] = set()  # tokens whose loads are refused
        # token -> responds to a request (head, body, call) with parts.
        self.api: dict[str, Callable[[Any, bytes, Any], Iterator[Any]]] = {}
        self._checkpoints: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
        self._blobs: dict[tuple[str, str, str, str], Any] = {}
        self._pending: dict[tuple[str, str, str], dict[tuple[str, int], Any]] = defaultdict(dict)
        self._changed = threading.Condition()
        self._server = grpc.server(futures.ThreadPoolExecutor(32))
        self._server.add_generic_rpc_handlers(
            (self._checkpoints_handler(), self._store_handler(), self._api_handler())
        )
        self._server.add_insecure_port(f"unix:{socket}")
        self._server.start()

    def close(self) -> None:
        self._server.stop(None).wait(5)

    # ------------------------------------------------------------ Checkpoints

    def _checkpoints_handler(self) -> grpc.GenericRpcHandler:
        def unary(handler: Any, name: str) -> Any:
            request = getattr(messages, f"{name}Request")
            response = getattr(messages, f"{name}Response")
            return grpc.unary_unary_rpc_method_handler(
                handler, request.FromString, response.SerializeToString
            )

        return grpc.method_handlers_generic_handler(
            messages.CHECKPOINTS_SERVICE,
            {
                "Write": grpc.stream_stream_rpc_method_handler(
                    self._write,
                    messages.WriteRequest.FromString,
                    messages.WriteAck.SerializeToString,
                ),
                "Load": unary(self._load, "Load"),
                "List": grpc.unary_stream_rpc_method_handler(
                    self._list,
                    messages.ListRequest.FromString,
                    messages.Checkpoint.SerializeToString,
                ),
                "DeleteThread": unary(self._delete, "DeleteThread"),
            },
        )

    def _write(self, requests: Iterator[Any], _: Any) -> Iterator[Any]:
        refused: set[str] = set()
        for request in requests:
            assert request.seq == len(self.writes[request.token]) + 1, "seq grows by one"
            error = self.judge.get(request.token, lambda _: None)(request)
            with self._changed:
                self.writes[request.token].append(request)
                if error is None and request.token not in refused:
                    self._apply(request)
                self._changed.notify_all()
            self.taken.get(request.token, lambda _: None)(request)
            if error is not None:
                refused.add(request.token)
                yield messages.WriteAck(token=request.token, seq=request.seq, error=error)
            elif request.sync:
                yield messages.WriteAck(token=request.token, seq=request.seq)

    def _apply(self, request: Any) -> None:
        if request.WhichOneof("op") == "save":
            save = request.save
            namespace = (save.thread_id, save.checkpoint_ns)
            for blob in save.blobs:
                self._blobs[(*namespace, blob.channel, blob.version)] = blob
            for version in save.channel_versions:
                key = (*namespace, version.channel, version.version)
                assert key in self._blobs, "blob is known"
            stored = messages.Checkpoint()
            stored.CopyFrom(save)
            del stored.blobs[:]
            self._checkpoints[namespace][save.checkpoint_id] = stored
            return
        writes = request.writes
        target = self._pending[(writes.thread_id, writes.checkpoint_ns, writes.checkpoint_id)]
        for write in writes.writes:
            key = (write.task_id, write.index)
            write.run_id = self.run_of.get(request.token, "")
            if write.index < 0 or key not in target:
                target[key] = write

    def _full(self, stored: Any) -> Any:
        full = messages.Checkpoint()
        full.CopyFrom(stored)
        namespace = (stored.thread_id, stored.checkpoint_ns)
        for v in stored.channel_versions:
            full.blobs.append(self._blobs[(*namespace, v.channel, v.version)])
        full.writes.extend(self._pending[(*namespace, stored.checkpoint_id)].values())
        return full

    def wait_for(self, token: str, seq: int) -> None:
        """Until this write has been taken in."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.writes[token]) >= seq, timeout=10)

    def _load(self, request: Any, context: grpc.ServicerContext) -> Any:
        if request.token in self.closed_to:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "The token is of another thread.")
        self.wait_for(request.token, request.after_seq)
        self.loads[request.token].append(request)
        found = self.head(request.thread_id, request.checkpoint_ns, request.checkpoint_id)
        return messages.LoadResponse(checkpoint=found)

    def head(self, thread_id: str, checkpoint_ns: str = "", checkpoint_id: str = "") -> Any:
        """A checkpoint as a guest would load it, or None."""
        with self._changed:
            known = self._checkpoints[(thread_id, checkpoint_ns)]
            stored = known.get(checkpoint_id or max(known, default=""))
            return None if stored is None else self._full(stored)

    def blobs_of(self, thread_id: str) -> list[Any]:
        """The stored blobs themselves, of all namespaces."""
        return [blob for key, blob in self._blobs.items() if key[0] == thread_id]

    def stored_head(self, thread_id: str) -> Any:
        """The stored head of the root namespace itself."""
        known = self._checkpoints[(thread_id, "")]
        return known[max(known)]

    def add_pending(self, checkpoint: Any, write: Any) -> None:
        """Stores a pending write beside a checkpoint, as if a run had made it."""
        key = (checkpoint.thread_id, checkpoint.checkpoint_ns, checkpoint.checkpoint_id)
        self._pending[key][(write.task_id, write.index)] = write

    def _list(self, request: Any, _: Any) -> Iterator[Any]:
        self.wait_for(request.token, request.after_seq)
        wanted = json.loads(request.filter_json) if request.filter_json else {}
        found = []
        for (thread_id, namespace), known in list(self._checkpoints.items()):
            if request.HasField("thread_id") and thread_id != request.thread_id:
                continue
            if request.HasField("checkpoint_ns") and namespace != request.checkpoint_ns:
                continue
            for checkpoint_id, stored in known.items():
                metadata = json.loads(stored.metadata_json)
                if request.checkpoint_id and checkpoint_id != request.checkpoint_id:
                    continue
                if request.before_checkpoint_id and checkpoint_id >= request.before_checkpoint_id:
                    continue
                if all(metadata.get(k) == v for k, v in wanted.items()):
                    found.append(stored)
        found.sort(key=lambda stored: stored.checkpoint_id, reverse=True)
        for full in map(self._full, found[: request.limit or None]):
            if not request.own or self._is_own(request.token, full):
                yield full

    def _is_own(self, token: str, full: Any) -> bool:
        run = self.run_of.get(token)
        saver = json.loads(full.metadata_json).get("run_id")
        return run == saver or any(write.run_id == run for write in full.writes)

    def _delete(self, request: Any, _: Any) -> Any:
        self.wait_for(request.token, request.after_seq)
        with self._changed:
            for store in (self._checkpoints, self._blobs, self._pending):
                for key in [key for key in store if key[0] == request.thread_id]:
                    del store[key]
        return messages.DeleteThreadResponse()

    def checkpoints(self, thread_id: str, checkpoint_ns: str = "") -> list[Any]:
        """All retained checkpoints, oldest first."""
        known = self._checkpoints[(thread_id, checkpoint_ns)]
        return [self._full(known[key]) for key in sorted(known)]

    def namespaces(self, thread_id: str) -> set[str]:
        """The namespaces of a thread that have checkpoints."""
        return {
            ns for (thread, ns), known in self._checkpoints.items() if thread == thread_id and known
        }

    def keep_heads(self, thread_id: str) -> None:
        """The strictest retention: the newest checkpoint of each namespace and what it needs."""
        with self._changed:
            for (thread, namespace), known in self._checkpoints.items():
                if thread != thread_id or not known:
                    continue
                for key in sorted(known)[:-1]:
                    del known[key]
                    self._pending.pop((thread, namespace, key), None)
                (head,) = known.values()
                kept = {(v.channel, v.version) for v in head.channel_versions}
                for key in [k for k in self._blobs if k[:2] == (thread, namespace)]:
                    if key[2:] not in kept:
                        del self._blobs[key]

    # ------------------------------------------------------------ Store

    def _store_handler(self) -> grpc.GenericRpcHandler:
        def unary(name: str, handler: Any) -> Any:
            request = getattr(messages, f"Store{name}Request")
            response = getattr(messages, f"Store{name}Response")
            return grpc.unary_unary_rpc_method_handler(
                lambda message, _: handler(message, response),
                request.FromString,
                response.SerializeToString,
            )

        handlers = {
            "Put": self._store_put,
            "Get": self._store_get,
            "Delete": self._store_delete,
            "Search": self._store_search,
            "ListNamespaces": self._store_namespaces,
        }
        return grpc.method_handlers_generic_handler(
            messages.STORE_SERVICE, {name: unary(name, h) for name, h in handlers.items()}
        )

    def _item(self, namespace: tuple[str, ...], key: str) -> Any:
        return messages.StoreItem(
            namespace=namespace,
            key=key,
            value_json=self.items[(namespace, key)],
            created_at="2026-01-02T03:04:05Z",
            updated_at="2026-01-02T03:04:05.678Z",
        )

    def _store_put(self, request: Any, response: Any) -> Any:
        self.items[(tuple(request.namespace), request.key)] = request.value_json
        return response()

    def _store_get(self, request: Any, response: Any) -> Any:
        item = (tuple(request.namespace), request.key)
        return response(item=self._item(*item)) if item in self.items else response()

    def _store_delete(self, request: Any, response: Any) -> Any:
        self.items.pop((tuple(request.namespace), request.key), None)
        return response()

    def _store_search(self, request: Any, response: Any) -> Any:
        prefix = tuple(request.namespace_prefix)
        found = [item for item in sorted(self.items) if item[0][: len(prefix)] == prefix]
        return response(items=[self._item(*item) for item in found])

    def _store_namespaces(self, _: Any, response: Any) -> Any:
        labels = sorted({namespace for namespace, _ in self.items})
        return response(namespaces=[messages.Namespace(labels=found) for found in labels])

    # ------------------------------------------------------------ Api

    def _api_handler(self) -> grpc.GenericRpcHandler:
        call = grpc.stream_stream_rpc_method_handler(
            self._call, messages.ApiRequest.FromString, messages.ApiResponse.SerializeToString
        )
        return grpc.method_handlers_generic_handler(messages.API_SERVICE, {"Call": call})

    def _call(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        head = next(requests).head
        parts = list(requests)
        assert parts.pop().end, "the body has an end"
        yield from self.api[head.token](head, b"".join(part.body for part in parts), context)


def api_head(status: int = 200, **headers: str) -> Any:
    """How a response of the Api begins."""
    named = {"content-type": "application/json"} | headers
    made = [messages.HttpHeader(name=name, value=text.encode()) for name, text in named.items()]
    return messages.ApiResponse(head=messages.HttpResponseHead(status=status, headers=made))
