"""A guest that dies, and the next attempt of its run."""

import uuid
from pathlib import Path

import grpc
import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost

AGENTS = {"crashing": "./crashing.py:graph", "asking": "./crashing.py:asking"}


def _crash(folder: Path, host: MemoryHost, wanted: object) -> None:
    dying = GuestProcess(folder, host, AGENTS)
    with pytest.raises(grpc.RpcError):
        dying.invoke(wanted)
    assert dying.process.wait(10) == 9
    dying.close()


def test_the_next_attempt_goes_on_from_the_head_with_its_pending_writes(
    folder: Path, host: MemoryHost, thread_id: str
) -> None:
    flag = folder / uuid.uuid4().hex
    run = {"run_id": str(uuid.uuid4()), "input": {"flag": str(flag), "log": []}}
    _crash(folder, host, request("crashing", thread_id, **run))
    assert "left" in {write.value.data[-4:].decode() for write in host.head(thread_id).writes}

    flag.touch()
    alive = GuestProcess(folder, host, AGENTS)
    try:
        again = request(
            "crashing",
            thread_id,
            attempt=2,
            head_known=True,
            head=host.head(thread_id),
            stream_modes=["updates"],
            **run,
        )
        done = alive.invoke(again)
    finally:
        alive.close()
    assert done.end.status == "completed"
    assert done.output["log"] == ["first", "left", "second"]
    # Neither the finished step nor the finished neighbour was run again.
    assert [u for u in done.of("updates") if "second" in u] == [{"second": {"log": ["second"]}}]
    assert all("first" not in update for update in done.of("updates"))


def test_an_answer_that_was_taken_before_the_crash_answers_no_other_question(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str
) -> None:
    flag = folder / uuid.uuid4().hex
    first = GuestProcess(folder, host, AGENTS)
    first.invoke(request("asking", thread_id, input={"flag": str(flag), "log": []}))
    first.close()
    run = {"run_id": str(uuid.uuid4()), "command": {"resume": "yes"}}
    _crash(folder, host, request("asking", thread_id, **run))

    flag.touch()
    alive = GuestProcess(folder, host, AGENTS)
    try:
        again = alive.invoke(request("asking", thread_id, attempt=2, **run))
        assert [i["value"] for i in again.interrupts] == ["two?"]
        done = alive.invoke(request("asking", thread_id, command={"resume": "no"}))
    finally:
        alive.close()
    assert done.output["log"] == ["yes,no"]


def test_an_update_that_was_recorded_before_the_crash_is_not_applied_twice(
    folder: Path, host: MemoryHost, thread_id: str
) -> None:
    flag = folder / uuid.uuid4().hex
    first = GuestProcess(folder, host, AGENTS)
    first.invoke(request("asking", thread_id, input={"flag": str(flag), "log": []}))
    first.close()
    command = {"resume": "yes", "update": {"log": ["told"]}}
    run = {"run_id": str(uuid.uuid4()), "command": command}
    _crash(folder, host, request("asking", thread_id, **run))

    flag.touch()
    alive = GuestProcess(folder, host, AGENTS)
    try:
        alive.invoke(request("asking", thread_id, attempt=2, **run))
        done = alive.invoke(request("asking", thread_id, command={"resume": "no"}))
    finally:
        alive.close()
    assert done.output["log"].count("told") == 1
