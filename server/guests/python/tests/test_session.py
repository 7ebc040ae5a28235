"""The ordered writes of one token."""

from typing import Any

import pytest

from agent_runtime_guest import messages
from agent_runtime_guest.errors import ServiceError
from agent_runtime_guest.session import RunSession


class Channel:
    """Keeps what it is given."""

    max_message_bytes = 1_000
    transport_bytes = 1_200

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def register(self, _: RunSession) -> None: ...

    def forget(self, _: RunSession) -> None: ...

    def send(self, data: bytes) -> None:
        self.sent.append(messages.WriteRequest.FromString(data))


def _writes(count: int) -> Any:
    request = messages.WriteRequest()
    for index in range(count):
        request.writes.writes.add(task_id="t" * 20, index=index, channel="c")
    return request


def test_writes_are_numbered_from_one() -> None:
    channel = Channel()
    session = RunSession(channel, "token")  # type: ignore[arg-type]
    session.write(_writes(1))
    session.write(_writes(1))
    assert [(w.token, w.seq, w.sync) for w in channel.sent] == [
        ("token", 1, False),
        ("token", 2, False),
    ]
    assert session.close() == 2
    with pytest.raises(ServiceError, match="has ended"):
        session.write(_writes(1))


def test_what_the_transport_cannot_carry_is_not_sent_and_ends_the_run() -> None:
    channel = Channel()
    session = RunSession(channel, "token")  # type: ignore[arg-type]
    failed: list[str] = []
    session.on_failure = lambda: failed.append(session.failure.code)  # type: ignore[union-attr]
    with pytest.raises(ServiceError, match="limit is 1000 bytes"):
        session.write(_writes(100))
    assert (channel.sent, failed, session.close()) == ([], ["checkpoint_too_large"], 0)


def test_a_sync_write_waits_for_its_acknowledgement() -> None:
    session = RunSession(Channel(), "token", sync=True)  # type: ignore[arg-type]
    first, second = session.write(_writes(1)), session.write(_writes(1))
    assert first is not None
    assert second is not None
    session.acknowledge(1)
    assert (first.done(), second.done()) == (True, False)
    session.fail(ServiceError("run_fenced", "gone"))
    with pytest.raises(ServiceError, match="gone"):
        second.result(1)
