"""A guest that dies, and the next attempt of its run."""

import uuid
from pathlib import Path
from typing import Any

import grpc
import pytest

from .guest_process import GuestProcess, request
from .host import MemoryHost

AGENTS = {
    "crashing": "./crashing.py:graph",
    "crashing_asker": "./crashing.py:asking",
    "asking_twice": "./shapes.py:asking_twice",
}


@pytest.fixture
def flag(folder: Path) -> Path:
    """Nodes that shall not finish wait until it exists."""
    return folder / uuid.uuid4().hex


def _crash(
    folder: Path, host: MemoryHost, wanted: Any, *, after: bytes, of_task: bool = True
) -> None:
    """Kills the guest as soon as the host has taken a pending write with these bytes."""
    dying = GuestProcess(folder, host, AGENTS)

    def kill(write: Any) -> None:
        pending = write.writes
        if bool(pending.task_path) == of_task and any(
            after in w.value.data for w in pending.writes
        ):
            dying.process.kill()
            dying.process.wait(10)

    host.taken[wanted.token] = kill
    with pytest.raises(grpc.RpcError):
        dying.invoke(wanted)
    assert dying.process.wait(10) == -9
    dying.close()


def test_the_next_attempt_continues_from_the_head_with_its_pending_writes(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str, flag: Path
) -> None:
    run = {"run_id": str(uuid.uuid4()), "input": {"flag": str(flag), "log": []}}
    _crash(folder, host, request("crashing", thread_id, **run), after=b"left")

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
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str
) -> None:
    guest.invoke(request("asking_twice", thread_id, input={"n": 1}))
    run = {"run_id": str(uuid.uuid4()), "command": {"resume": "yes"}}
    # The node has asked its second question; "sync" keeps the end from overtaking that.
    crashing = request("asking_twice", thread_id, durability="sync", **run)
    _crash(folder, host, crashing, after=b"yes")

    again = guest.invoke(request("asking_twice", thread_id, attempt=2, **run))
    assert [i["value"] for i in again.interrupts] == ["second?"]
    done = guest.invoke(request("asking_twice", thread_id, command={"resume": "no"}))
    assert done.output["log"] == ["yes-no"]


@pytest.mark.parametrize("by_id", [False, True])
def test_an_answer_is_not_taken_for_the_same_one_before_it(
    guest: GuestProcess, thread_id: str, by_id: bool
) -> None:
    asked = guest.invoke(request("asking_twice", thread_id, input={"n": 1}))
    for attempt in (1, 2):  # what the first attempt of the second answer did is lost
        (question,) = asked.interrupts
        resume = {question["id"]: "yes"} if by_id else "yes"
        wanted = request("asking_twice", thread_id, attempt=attempt, command={"resume": resume})
        asked = guest.invoke(wanted)
    assert asked.output["log"] == ["yes-yes"]


def test_an_answer_that_was_recorded_and_not_taken_is_taken_by_the_next_attempt(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str
) -> None:
    guest.invoke(request("asking_twice", thread_id, input={"n": 1}))
    guest.invoke(request("asking_twice", thread_id, command={"resume": "yes"}))
    run = {"run_id": str(uuid.uuid4()), "command": {"resume": "yes"}}
    crashing = request("asking_twice", thread_id, durability="sync", **run)
    _crash(folder, host, crashing, after=b"yes", of_task=False)
    head = {"head_known": True, "head": host.head(thread_id)}
    done = guest.invoke(request("asking_twice", thread_id, attempt=2, **head, **run))
    assert done.output["log"] == ["yes-yes"]


def test_an_answer_by_id_that_was_taken_is_not_taken_again(
    guest: GuestProcess, thread_id: str
) -> None:
    asked = guest.invoke(request("asking_twice", thread_id, input={"n": 1}))
    resume = {asked.interrupts[0]["id"]: "yes"}
    run = {"run_id": str(uuid.uuid4()), "command": {"resume": resume}}
    guest.invoke(request("asking_twice", thread_id, **run))
    again = guest.invoke(request("asking_twice", thread_id, attempt=2, **run))
    assert [i["value"] for i in again.interrupts] == ["second?"]


def test_a_command_that_was_recorded_before_the_crash_is_not_applied_twice(
    folder: Path, host: MemoryHost, guest: GuestProcess, thread_id: str, flag: Path
) -> None:
    guest.invoke(request("crashing_asker", thread_id, input={"flag": str(flag), "log": []}))
    command = {"resume": "yes", "update": {"log": ["updated"]}}
    run = {"run_id": str(uuid.uuid4()), "command": command}
    crashing = request("crashing_asker", thread_id, **run)
    _crash(folder, host, crashing, after=b"updated", of_task=False)

    flag.touch()
    done = guest.invoke(request("crashing_asker", thread_id, attempt=2, **run))
    assert done.output["log"] == ["updated", "yes"]


@pytest.mark.parametrize("where", ["before", "in", "after"])
@pytest.mark.parametrize("call", [3, 4])  # the memory is from an earlier run, or from this one
def test_a_sub_graph_with_a_memory_counts_every_call_once(
    guest: GuestProcess, thread_id: str, flag: Path, call: int, where: str
) -> None:
    given = {"flag": str(flag), "fails": f"{call} {where}", "seen": []}
    guest.invoke(request("crashing_memory", thread_id, input=given))
    run = {"run_id": str(uuid.uuid4()), "input": given}
    lost = guest.invoke(request("crashing_memory", thread_id, **run))
    assert (lost.end.status, lost.end.error.message) == ("error", where)
    # As if the host had not received the end.
    done = guest.invoke(request("crashing_memory", thread_id, attempt=2, **run))
    assert done.output["seen"] == [1, 2, 3, 4]
