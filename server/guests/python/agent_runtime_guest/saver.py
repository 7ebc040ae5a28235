"""LangGraph's checkpointer over the host's Checkpoints service."""

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from . import messages
from .checkpoint_codec import (
    check_size,
    decode_checkpoint,
    encode_write,
    is_seen_below_root,
    state_json,
)
from .projection import to_json
from .session import RunSession

_SERDE = JsonPlusSerializer()
_UNKNOWN: Any = object()


class HostSaver(BaseCheckpointSaver[str]):
    """The checkpointer of one run.

    Saves are queued in order and answered at once, but for runs with durability "sync": those wait
    until the host says that the write is durable. A refused write makes the next call raise.
    """

    def __init__(
        self,
        session: RunSession,
        *,
        seen_channels: Collection[str] | None = None,
        head: Any = _UNKNOWN,
    ) -> None:
        """`seen_channels`: of the root graph; None: the rule for sub-graphs holds for it too.
        `head`: the root namespace's head as the host gave it, or None for an empty thread."""
        super().__init__(serde=_SERDE)
        self._session = session
        self._seen_channels = seen_channels
        self._head = head
        self._thread_was_empty = head is None
        self._written_namespaces: set[str] = set()
        # (thread, namespace, channel, version) that the host has.
        self._stored: set[tuple[str, str, str, Any]] = set()

    # ------------------------------------------------------------ reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint a config addresses, or the head of its namespace."""
        self._session.check()
        if (found := self._known(config)) is not _UNKNOWN:
            return self._decoded(found)
        return self._decoded(self._session.channel.load(self._request(config)))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Like `get_tuple`, without blocking."""
        self._session.check()
        if (found := self._known(config)) is not _UNKNOWN:
            return self._decoded(found)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()

        def settle(message: Any, error: Exception | None) -> None:
            if not answer.done():
                answer.set_result(message) if error is None else answer.set_exception(error)

        self._session.channel.load_later(
            self._request(config),
            lambda message, error: loop.call_soon_threadsafe(settle, message, error),
        )
        return self._decoded(await answer)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first."""
        self._session.check()
        if limit is not None and limit <= 0:
            return
        configurable = (config or {}).get("configurable", {})
        request = messages.ListRequest(
            token=self._session.token,
            thread_id=configurable.get("thread_id"),
            checkpoint_ns=configurable.get("checkpoint_ns"),
            checkpoint_id=(get_checkpoint_id(config) if config else None) or "",
            before_checkpoint_id=(get_checkpoint_id(before) if before else None) or "",
            limit=limit or 0,
            filter_json=to_json(filter).decode() if filter else "",
            after_seq=self._session.seq,
        )
        for message in self._session.channel.list(request):
            yield decode_checkpoint(self.serde, message)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Like `list`, without blocking."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (item := await asyncio.to_thread(next, found, None)) is not None:
            yield item

    # ------------------------------------------------------------ writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Saves a checkpoint with the channel versions that are new with it."""
        request, stored = self._save(config, checkpoint, metadata, new_versions)
        if (durable := self._session.write(request)) is not None:
            durable.result()
        return stored

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Like `put`, without blocking."""
        request, stored = self._save(config, checkpoint, metadata, new_versions)
        if (durable := self._session.write(request)) is not None:
            await asyncio.wrap_future(durable)
        return stored

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Saves what a task wrote, beside the checkpoint that it started from."""
        if (
            durable := self._session.write(self._writes(config, writes, task_id, task_path))
        ) is not None:
            durable.result()

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Like `put_writes`, without blocking."""
        if (
            durable := self._session.write(self._writes(config, writes, task_id, task_path))
        ) is not None:
            await asyncio.wrap_future(durable)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes all checkpoints and writes of a thread."""
        self._session.check()
        self._head = _UNKNOWN
        self._thread_was_empty = False
        self._session.channel.delete_thread(
            messages.DeleteThreadRequest(
                token=self._session.token, thread_id=thread_id, after_seq=self._session.seq
            )
        )

    async def adelete_thread(self, thread_id: str) -> None:
        """Like `delete_thread`, without blocking."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    def get_next_version(self, current: str | int | None, channel: None) -> str:
        """A number that grows and a random part.

        The random part keeps the versions of a fork, or of a lost attempt, apart from those that
        another branch gives the same channel: the host keeps one blob per version. Not from
        `random`, which agents seed.
        """
        if current is None:
            number = 0
        else:
            number = int(current.split(".")[0]) if isinstance(current, str) else int(current)
        return f"{number + 1:08d}.{os.urandom(4).hex()}"

    # ------------------------------------------------------------ messages

    def _known(self, config: RunnableConfig) -> Any:
        """The answer to a load that needs no call, or _UNKNOWN."""
        configurable = config["configurable"]
        if configurable.get("checkpoint_id"):
            return _UNKNOWN
        namespace = configurable.get("checkpoint_ns", "")
        if self._thread_was_empty and namespace not in self._written_namespaces:
            return None
        if namespace == "" and self._session.seq == 0:
            return self._head
        return _UNKNOWN

    def _request(self, config: RunnableConfig) -> Any:
        configurable = config["configurable"]
        return self._session.load(
            str(configurable["thread_id"]),
            configurable.get("checkpoint_ns", ""),
            get_checkpoint_id(config) or "",
        )

    def _decoded(self, message: Any) -> CheckpointTuple | None:
        if message is None:
            return None
        found = decode_checkpoint(self.serde, message)
        versions = found.checkpoint["channel_versions"]
        self._stored.update(
            (message.thread_id, message.checkpoint_ns, blob.channel, versions.get(blob.channel))
            for blob in message.blobs
        )
        return found

    def _save(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> tuple[Any, RunnableConfig]:
        self._session.check()
        configurable = config["configurable"]
        thread_id = str(configurable["thread_id"])
        namespace = configurable.get("checkpoint_ns", "")
        values = checkpoint["channel_values"]
        skeleton = {k: v for k, v in checkpoint.items() if k != "channel_values"}
        all_metadata = get_checkpoint_metadata(config, metadata)

        request = messages.WriteRequest()
        save = request.save
        save.thread_id = thread_id
        save.checkpoint_ns = namespace
        save.checkpoint_id = checkpoint["id"]
        save.parent_checkpoint_id = configurable.get("checkpoint_id") or ""
        save.ts = checkpoint["ts"]
        save.skeleton.tag, save.skeleton.data = self.serde.dumps_typed(skeleton)
        save.metadata.tag, save.metadata.data = self.serde.dumps_typed(all_metadata)
        save.metadata_json = to_json(all_metadata).decode()

        sizes: dict[str, int] = {}
        for channel, version in checkpoint["channel_versions"].items():
            key = (thread_id, namespace, channel, version)
            if channel in values and (channel in new_versions or key not in self._stored):
                blob = save.blobs.add(channel=channel, version=str(version))
                blob.value.tag, data = self.serde.dumps_typed(values[channel])
                blob.value.data = bytes(data)
                sizes[channel] = len(data)
                if self._is_seen(namespace, channel):
                    projected = state_json(values[channel])
                    blob.json = projected.decode()
                    sizes[channel] += len(projected)
                self._stored.add(key)
            elif key not in self._stored:
                continue  # a channel without a value at this version
            save.channel_versions.add(channel=channel, version=str(version))

        rest = len(save.skeleton.data) + len(save.metadata.data) + len(save.metadata_json)
        check_size(
            f"checkpoint of {thread_id}", sizes, rest, self._session.channel.max_message_bytes
        )
        self._written_namespaces.add(namespace)
        stored: RunnableConfig = {
            "configurable": {
                "thread_id": thread_id,
                "checkpoint_ns": namespace,
                "checkpoint_id": checkpoint["id"],
            }
        }
        return request, stored

    def _is_seen(self, namespace: str, channel: str) -> bool:
        if namespace == "" and self._seen_channels is not None:
            return channel in self._seen_channels
        return is_seen_below_root(channel)

    def _writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> Any:
        self._session.check()
        configurable = config["configurable"]
        thread_id = str(configurable["thread_id"])
        request = messages.WriteRequest()
        target = request.writes
        target.thread_id = thread_id
        target.checkpoint_ns = configurable.get("checkpoint_ns", "")
        target.checkpoint_id = configurable["checkpoint_id"]
        target.task_id = task_id
        target.task_path = task_path
        sizes: dict[str, int] = {}
        for position, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, position)
            write = encode_write(self.serde, task_id, task_path, index, channel, value)
            target.writes.append(write)
            sizes[channel] = sizes.get(channel, 0) + len(write.value.data) + len(write.json)
        limit = self._session.channel.max_message_bytes
        check_size(f"pending write of {thread_id}", sizes, 0, limit)
        self._written_namespaces.add(target.checkpoint_ns)
        return request
