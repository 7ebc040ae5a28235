"""Checkpoints and pending writes of one run as messages, and back."""

from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    SerializerProtocol,
    get_checkpoint_metadata,
)

from . import messages
from .checkpoint_codec import (
    check_size,
    decode_checkpoint,
    encode_write,
    is_seen_below_root,
    state_json,
    task_name,
)
from .projection import to_json


class SaveMessages:
    """Makes the messages, and knows which channel versions the host has already."""

    def __init__(
        self, serde: SerializerProtocol, seen_channels: Collection[str] | None, limit: int
    ) -> None:
        self._serde = serde
        self._seen_channels = seen_channels
        self._limit = limit
        # (thread, namespace, channel, version)
        self._stored: set[tuple[str, str, str, Any]] = set()
        self.written_namespaces: set[str] = set()

    def save(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Any:
        """A WriteRequest with the checkpoint's skeleton and its new channel versions."""
        configurable = config["configurable"]
        all_metadata = get_checkpoint_metadata(config, metadata)
        skeleton = {k: v for k, v in checkpoint.items() if k != "channel_values"}

        request = messages.WriteRequest()
        save = request.save
        save.thread_id = str(configurable["thread_id"])
        save.checkpoint_ns = configurable.get("checkpoint_ns", "")
        save.checkpoint_id = checkpoint["id"]
        save.parent_checkpoint_id = configurable.get("checkpoint_id") or ""
        save.ts = checkpoint["ts"]
        save.skeleton.tag, save.skeleton.data = self._serde.dumps_typed(skeleton)
        save.metadata.tag, save.metadata.data = self._serde.dumps_typed(all_metadata)
        save.metadata_json = to_json(all_metadata).decode()

        sizes = self._add_channels(save, checkpoint, new_versions)
        rest = len(save.skeleton.data) + len(save.metadata.data) + len(save.metadata_json)
        check_size(f"checkpoint of thread {save.thread_id}", sizes, rest, self._limit)
        self.written_namespaces.add(save.checkpoint_ns)
        return request

    def _add_channels(
        self, save: Any, checkpoint: Checkpoint, new_versions: ChannelVersions
    ) -> dict[str, int]:
        values = checkpoint["channel_values"]
        sizes: dict[str, int] = {}
        for channel, version in checkpoint["channel_versions"].items():
            key = (save.thread_id, save.checkpoint_ns, channel, version)
            if channel in values and (channel in new_versions or key not in self._stored):
                sizes[channel] = self._add_blob(save, channel, version, values[channel])
                self._stored.add(key)
            elif key not in self._stored:
                continue  # a channel without a value at this version
            save.channel_versions.add(channel=channel, version=str(version))
        return sizes

    def _add_blob(self, save: Any, channel: str, version: Any, value: Any) -> int:
        blob = save.blobs.add(channel=channel, version=str(version))
        blob.value.tag, data = self._serde.dumps_typed(value)
        blob.value.data = bytes(data)
        if not self._is_seen(save.checkpoint_ns, channel):
            return len(data)
        projected = state_json(value)
        blob.json = projected.decode()
        return len(data) + len(projected)

    def _is_seen(self, namespace: str, channel: str) -> bool:
        if namespace == "" and self._seen_channels is not None:
            return channel in self._seen_channels
        return is_seen_below_root(channel)

    def writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> Any:
        """A WriteRequest with what a task wrote."""
        configurable = config["configurable"]
        request = messages.WriteRequest()
        target = request.writes
        target.thread_id = str(configurable["thread_id"])
        target.checkpoint_ns = configurable.get("checkpoint_ns", "")
        target.checkpoint_id = configurable["checkpoint_id"]
        target.task_id = task_id
        target.task_path = task_path
        sizes: dict[str, int] = {}
        for position, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, position)
            write = encode_write(self._serde, task_id, task_path, index, channel, value)
            target.writes.append(write)
            sizes[channel] = sizes.get(channel, 0) + len(write.value.data) + len(write.json)
        check_size(f"pending write of {task_name(task_id, task_path)}", sizes, 0, self._limit)
        self.written_namespaces.add(target.checkpoint_ns)
        return request

    def read(self, message: Any) -> CheckpointTuple | None:
        """A loaded checkpoint; None stays None."""
        if message is None:
            return None
        found = decode_checkpoint(self._serde, message)
        versions = found.checkpoint["channel_versions"]
        self._stored.update(
            (message.thread_id, message.checkpoint_ns, blob.channel, versions.get(blob.channel))
            for blob in message.blobs
        )
        return found
