"""A guest that dies, and the next attempt of its run."""

import uuid
from pathlib import Path
from typing import Any

import grpc
import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost

AGENTS = {"crashing": "./crashing.py:graph", "crashing_asker": "./crashing.py:asking"}


@pytest.fixture
def flag(folder: Path) -> Path:
    """As long as it does not exist the agents die."""
    return folder / uuid.uuid4().hex


def _crash(folder: Path, host: MemoryHost, wanted: Any) -> None:
    dying = GuestProcess(folder, host, AGENTS)
    with pytest.raises(grpc.RpcError):
        dying.invoke(wanted)
    assert dying.process.wait(10) == 9
    dying.close()


def test_the_next_attempt_goes_on_from_the_head_with_its_pending_writes(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str, flag: Path
) -> None:
    run = {"run_id": str(uuid.uuid4()), "input": {"flag": str(flag), "log": []}}
    _crash(folder, host, request("crashing", thread_id, **run))
    assert "left" in {write.value.data[-4:].decode() for write in host.head(thread_id).writes}

    flag.touch()
    head = {"head_known": True, "head": host.head(thread_id)}
    again = request("crashing", thread_id, attempt=2, stream_modes=["updates"], **head, **run)
    done = guest.invoke(again)
    assert done.end.status == "completed"
    assert done.output["log"] == ["first", "left", "second"]
    # Neither the finished step nor the finished neighbour was run again.
    assert [u for u in done.of("updates") if "second" in u] == [{"second": {"log": ["second"]}}]
    assert all("first" not in update for update in done.of("updates"))


def test_an_attempt_that_saved_nothing_begins_anew(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    done = guest.invoke(request("counting", thread_id, attempt=2, input={"n": 3}))
    assert done.output == {"n": 40, "log": ["one", "two", "one", "two"]}


def test_a_run_that_had_finished_before_the_crash_does_nothing_again(
    guest: GuestProcess, thread_id: str
) -> None:
    run = {"run_id": str(uuid.uuid4()), "input": {"n": 1}}
    first = guest.invoke(request("counting", thread_id, **run))
    again = guest.invoke(request("counting", thread_id, attempt=2, stream_modes=["updates"], **run))
    assert (again.end.status, again.output, again.chunks) == ("completed", first.output, [])


def test_time_travel_is_not_begun_twice(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    guest.invoke(request("counting", thread_id, input={"n": 1}))
    past = {"checkpoint_id": host.checkpoints(thread_id)[-3].checkpoint_id}
    run = {"run_id": str(uuid.uuid4()), "configurable": past, "stream_modes": ["updates"]}
    guest.invoke(request("counting", thread_id, interrupt_before=["two"], **run))
    forks = len(host.checkpoints(thread_id))
    again = guest.invoke(request("counting", thread_id, attempt=2, **run))
    assert [list(update) for update in again.of("updates")] == [["two"]]
    assert len(host.checkpoints(thread_id)) == forks + 1


def test_an_answer_that_was_taken_before_the_crash_answers_no_other_question(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str, flag: Path
) -> None:
    guest.invoke(request("crashing_asker", thread_id, input={"flag": str(flag), "log": []}))
    run = {"run_id": str(uuid.uuid4()), "command": {"resume": "yes"}}
    _crash(folder, host, request("crashing_asker", thread_id, **run))

    flag.touch()
    again = guest.invoke(request("crashing_asker", thread_id, attempt=2, **run))
    assert [i["value"] for i in again.interrupts] == ["two?"]
    done = guest.invoke(request("crashing_asker", thread_id, command={"resume": "no"}))
    assert done.output["log"] == ["yes,no"]


def test_an_update_that_was_recorded_before_the_crash_is_not_applied_twice(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str, flag: Path
) -> None:
    guest.invoke(request("crashing_asker", thread_id, input={"flag": str(flag), "log": []}))
    command = {"resume": "yes", "update": {"log": ["told"]}}
    run = {"run_id": str(uuid.uuid4()), "command": command}
    _crash(folder, host, request("crashing_asker", thread_id, **run))

    flag.touch()
    guest.invoke(request("crashing_asker", thread_id, attempt=2, **run))
    done = guest.invoke(request("crashing_asker", thread_id, command={"resume": "no"}))
    assert done.output["log"].count("told") == 1
