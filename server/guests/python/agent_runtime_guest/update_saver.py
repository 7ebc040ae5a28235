"""The checkpointer of a state update, which reads what it has just written without a call."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    copy_checkpoint,
)

from .saver import HostSaver


class UpdateSaver(HostSaver):
    """Remembers the checkpoints that it loaded and saved, by namespace and id."""

    def __init__(self, *args: Any, **known: Any) -> None:
        super().__init__(*args, **known)
        self._found: dict[tuple[str, str], CheckpointTuple] = {}
        self._drops_writes = False

    @contextlib.contextmanager
    def only_checkpoints(self) -> Iterator[None]:
        """There are no pending writes meanwhile: LangGraph notes an update beside the older
        checkpoint, and some releases (0.6 to 1.1) apply those of a checkpoint that is named."""
        self._drops_writes = True
        try:
            yield
        finally:
            self._drops_writes = False

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint a config addresses, or the head of its namespace."""
        found = self._found.get(_key(config)) or await super().aget_tuple(config)
        if found is None:
            return None
        self._found[_key(found.config)] = found
        # LangGraph changes what it is given.
        found = found._replace(checkpoint=copy_checkpoint(found.checkpoint))
        return found._replace(pending_writes=[]) if self._drops_writes else found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Saves a checkpoint with the channel versions that are new with it."""
        saved = await super().aput(config, checkpoint, metadata, new_versions)
        kept = copy_checkpoint(checkpoint)
        self._found[_key(saved)] = CheckpointTuple(saved, kept, metadata, None, [])
        return saved

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Saves what a task wrote, beside the checkpoint that it started from."""
        if not self._drops_writes:
            await super().aput_writes(config, writes, task_id, task_path)


def _key(config: RunnableConfig) -> tuple[str, str]:
    configurable = config["configurable"]
    return configurable.get("checkpoint_ns", ""), configurable.get("checkpoint_id") or ""
