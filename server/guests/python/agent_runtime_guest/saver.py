"""LangGraph's checkpointer over the host's Checkpoints service."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)

from . import messages
from .checkpoint_codec import writes_in_order
from .checkpoint_serde import CheckpointSerde
from .errors import ServiceError
from .later_attempt import Touched, without_answer
from .projection import to_json
from .save_messages import SaveMessages
from .session import RunSession
from .sub_graph_calls import SubGraphCalls

_SERDE = CheckpointSerde()
_UNKNOWN: Any = object()
# A host that takes saves more slowly than the graph makes them slows the graph, not its memory.
_CROWDED_SECONDS = 0.01


class HostSaver(BaseCheckpointSaver[str]):
    """The checkpointer of one run.

    Saves are queued in order and return at once, but for runs with durability "sync": those wait
    until the host reports that the write is durable. A refused write makes the next call raise.
    """

    def __init__(
        self,
        session: RunSession,
        *,
        seen_channels: Collection[str] | None = None,
        thread_id: str = "",
        head: Any = _UNKNOWN,
    ) -> None:
        """`seen_channels`: of the root graph; None: the rule for sub-graphs holds for it too.
        `head`: of the root namespace of `thread_id`, or None when that thread is empty."""
        super().__init__(serde=_SERDE)
        self._session = session
        self._messages = SaveMessages(self.serde, seen_channels, session.channel.max_message_bytes)
        self._thread_id = thread_id
        self._head = head
        self._thread_was_empty = head is None
        self._hides_answer = False
        self._calls: SubGraphCalls | None = None

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint a config addresses, or the head of its namespace."""
        self._session.check()
        found = self._known(config)
        if found is _UNKNOWN:
            found = self._session.channel.load(self._load_request(config))
        return self._seen(self._messages.read(found), config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Like `get_tuple`, without blocking."""
        self._session.check()
        found = self._known(config)
        if found is _UNKNOWN:
            found = await self._load(self._load_request(config))
        return self._seen(self._messages.read(found), config)

    async def atouched(self, thread_id: str) -> list[Touched]:
        """The checkpoints, of all namespaces, that this run has saved or has written beside."""
        request = messages.ListRequest(
            token=self._session.token, thread_id=thread_id, own=True, after_seq=self._session.seq
        )

        def read() -> list[Touched]:
            found = [(self._messages.read(m), m) for m in self._session.channel.list(request)]
            return [Touched(one, [w.run_id for w in writes_in_order(m)]) for one, m in found if one]

        return await asyncio.to_thread(read)

    def hide_answer(self) -> None:
        """From now on the root namespace shows no pending answer that belongs to no task."""
        self._hides_answer = True

    def restart(self, run_id: str) -> None:
        """From now on loads are those of a later attempt of this run."""
        self._calls = SubGraphCalls(run_id)

    def _seen(
        self, found: CheckpointTuple | None, config: RunnableConfig
    ) -> CheckpointTuple | None:
        if found is not None and self._calls is not None:
            self._calls.look_at(found, config)
        if found is None or not self._hides_answer:
            return found
        is_root = found.config["configurable"]["checkpoint_ns"] == ""
        return without_answer(found) if is_root else found

    async def _load(self, request: Any) -> Any:
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Any] = loop.create_future()

        def settle(message: Any, error: Exception | None) -> None:
            if result.done():
                return  # cancelled meanwhile
            if error is None:
                result.set_result(message)
            else:
                result.set_exception(error)

        self._session.channel.load_later(
            request, lambda message, error: loop.call_soon_threadsafe(settle, message, error)
        )
        return await result

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
            if (found := self._messages.read(message)) is not None:
                yield found

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

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Saves a checkpoint with the channel versions that are new with it."""
        self._write(self._made(self._messages.save, config, checkpoint, metadata, new_versions))
        return _saved(config, checkpoint)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Like `put`, without blocking."""
        request = self._made(self._messages.save, config, checkpoint, metadata, new_versions)
        await self._awrite(request)
        return _saved(config, checkpoint)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Saves what a task wrote, beside the checkpoint that it started from."""
        self._write(self._made(self._messages.writes, config, writes, task_id, task_path))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Like `put_writes`, without blocking."""
        await self._awrite(self._made(self._messages.writes, config, writes, task_id, task_path))

    def _made(self, make: Callable[..., Any], *args: Any) -> Any:
        self._session.check()
        try:
            return make(*args)
        except ServiceError as error:  # too large: the run is over
            self._session.fail(error)
            raise

    def _write(self, request: Any) -> None:
        if (durable := self._session.write(request)) is not None:
            durable.result()
        while self._session.channel.is_crowded:
            time.sleep(_CROWDED_SECONDS)

    async def _awrite(self, request: Any) -> None:
        if (durable := self._session.write(request)) is not None:
            await asyncio.wrap_future(durable)
        while self._session.channel.is_crowded:  # noqa: ASYNC110  bytes in a thread's queue
            await asyncio.sleep(_CROWDED_SECONDS)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes all checkpoints and writes of a thread."""
        self._session.check()
        self._session.channel.delete_thread(self._delete_request(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        """Like `delete_thread`, without blocking."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    def get_next_version(self, current: str | int | None, channel: None) -> str:
        """A number that grows and a random part.

        The random part keeps the versions of a fork, or of a lost attempt, apart from those that
        another branch gives the same channel: the host keeps one blob per version. Not from
        `random`, which agents seed.
        """
        number = int(str(current or 0).split(".")[0])
        return f"{number + 1:08d}.{os.urandom(4).hex()}"

    def _known(self, config: RunnableConfig) -> Any:
        """The result of a load that needs no call, or _UNKNOWN."""
        configurable = config["configurable"]
        if configurable.get("checkpoint_id") or configurable["thread_id"] != self._thread_id:
            return _UNKNOWN
        namespace = configurable.get("checkpoint_ns", "")
        if self._thread_was_empty and namespace not in self._messages.written_namespaces:
            return None
        return self._head if namespace == "" and self._session.seq == 0 else _UNKNOWN

    def _load_request(self, config: RunnableConfig) -> Any:
        configurable = config["configurable"]
        return messages.LoadRequest(
            token=self._session.token,
            thread_id=str(configurable["thread_id"]),
            checkpoint_ns=configurable.get("checkpoint_ns", ""),
            checkpoint_id=get_checkpoint_id(config) or "",
            after_seq=self._session.seq,
        )

    def _delete_request(self, thread_id: str) -> Any:
        if thread_id == self._thread_id:
            self._head = _UNKNOWN
            self._thread_was_empty = False
        return messages.DeleteThreadRequest(
            token=self._session.token, thread_id=thread_id, after_seq=self._session.seq
        )


def _saved(config: RunnableConfig, checkpoint: Checkpoint) -> RunnableConfig:
    configurable = config["configurable"]
    return {
        "configurable": {
            "thread_id": configurable["thread_id"],
            "checkpoint_ns": configurable.get("checkpoint_ns", ""),
            "checkpoint_id": checkpoint["id"],
        }
    }
