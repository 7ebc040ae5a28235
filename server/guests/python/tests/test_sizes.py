"""A tiny limit for what is saved, and errors of any length."""

import re
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost

_LIMIT = 20_000


@pytest.fixture(scope="module")
def small_guest(host: MemoryHost) -> Iterator[GuestProcess]:
    with tempfile.TemporaryDirectory(prefix="guest-") as folder:
        agents = {"sized": "./sized.py:graph", "waiting": "./shapes.py:waiting"}
        process = GuestProcess(Path(folder), host, agents, max_message_bytes=_LIMIT)
        yield process
        process.close()


def sized(**given: Any) -> Any:
    return request("sized", str(uuid.uuid4()), input=given)


def test_what_is_just_below_the_limit_is_saved(small_guest: GuestProcess) -> None:
    # The checkpoint has the text twice, as the serialiser made it and as JSON, and its own parts.
    assert small_guest.invoke(sized(write=9_000)).end.status == "completed"


def test_a_checkpoint_just_above_it_ends_its_run_and_no_other(
    small_guest: GuestProcess, host: MemoryHost
) -> None:
    neighbour = request("waiting", str(uuid.uuid4()), input={"n": 1})
    events = small_guest.events(neighbour)
    small_guest.line(run_id=neighbour.run_id, text="waiting")

    large = sized(write=9_990)
    error = small_guest.invoke(large).end.error
    assert error.code == "checkpoint_too_large"
    assert re.fullmatch(
        r"The checkpoint of thread \S+ has 2\d{4} bytes, the limit is 20000 bytes; "
        r"its largest channel is 'blob' with 19\d{3} bytes\.",
        error.message,
    )
    assert all(len(write.SerializeToString()) < _LIMIT for write in host.writes[large.token])

    assert small_guest.cancel(neighbour.token)
    assert [event.end.status for batch in events for event in batch.events] == ["cancelled"]
    assert small_guest.invoke(sized(write=1)).end.status == "completed"


@pytest.mark.parametrize("size", [21_000, 3_000_000])
def test_the_task_whose_write_is_too_large_is_named(small_guest: GuestProcess, size: int) -> None:
    error = small_guest.invoke(sized(write=size)).end.error
    assert error.code == "checkpoint_too_large"
    assert re.fullmatch(
        r"The pending write of task 'grow' has \d+ bytes, the limit is 20000 bytes; "
        r"its largest channel is 'blob' with \d+ bytes\.",
        error.message,
    )


@pytest.mark.parametrize("chained", [False, True])
def test_a_long_message_is_an_error_of_the_agent(
    small_guest: GuestProcess, host: MemoryHost, chained: bool
) -> None:
    raised = sized(message=5_000_000, chained=chained)
    error = small_guest.invoke(raised).end.error
    mark = "[cut here: 5000000 characters in all]"
    assert (error.code, error.node) == ("agent_error", "grow")
    assert error.message == ("short" if chained else "x" * 16_384 + "\n" + mark)
    assert "sized.py" in error.traceback
    assert "[cut here: 5000" in error.traceback
    assert len(error.traceback) < 70_000
    (write,) = [
        write
        for sent in host.writes[raised.token]
        for write in sent.writes.writes
        if write.channel == "__error__"
    ]
    assert len(write.value.data) < 5_000
    assert chained or "[cut here: 5000" in write.json
