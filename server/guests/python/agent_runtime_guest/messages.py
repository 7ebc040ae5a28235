"""The messages of the guest contract, as classes made at run time.

Generated stubs refuse a protobuf older than the compiler that made them, and the protobuf here is
the one of the agent's environment (5, 6 or 7). A descriptor set loads in all of them.
"""

from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "agentruntime.guest.v1"


def _load() -> dict[str, Any]:
    data = (Path(__file__).parent / "guest.binpb").read_bytes()
    # A pool of our own: the agent may have a file of the same name in the default one.
    pool = descriptor_pool.DescriptorPool()
    classes: dict[str, Any] = {}
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
        for message in file.message_type:
            descriptor = pool.FindMessageTypeByName(f"{file.package}.{message.name}")
            classes[message.name] = message_factory.GetMessageClass(descriptor)
    return classes


_CLASSES = _load()

AGENTS_SERVICE = f"{_PACKAGE}.Agents"
API_SERVICE = f"{_PACKAGE}.Api"
CHECKPOINTS_SERVICE = f"{_PACKAGE}.Checkpoints"
STORE_SERVICE = f"{_PACKAGE}.Store"


def __getattr__(name: str) -> Any:
    try:
        return _CLASSES[name]
    except KeyError:
        raise AttributeError(f"the guest contract has no message {name}") from None
