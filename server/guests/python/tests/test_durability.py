"""When saves count as saved, and what happens when they are refused."""

import asyncio
import json
import threading
from typing import Any

import pytest

from agent_runtime_guest import messages
from agent_runtime_guest.errors import ServiceError
from agent_runtime_guest.session import RunSession

from .guest_process import GuestProcess, request
from .host import MemoryHost


def test_async_never_waits_for_the_host(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1}, head_known=True)
    open_gate = threading.Event()
    host.judge[wanted.token] = lambda _: open_gate.wait(10) and None
    try:
        done = guest.invoke(wanted, until_saved=False)
        assert (done.end.status, host.writes[wanted.token]) == ("completed", [])
    finally:
        open_gate.set()
    host.wait_for(wanted.token, done.end.last_seq)
    assert not any(write.sync for write in host.writes[wanted.token])


def test_sync_starts_no_step_before_the_last_one_is_durable(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request(
        "counting", thread_id, input={"n": 1}, durability="sync", stream_modes=["updates"]
    )
    is_held, may_continue = threading.Event(), threading.Event()
    done: list[str] = []

    def hold(write: Any) -> None:
        # The checkpoint that `one` starts from.
        if write.WhichOneof("op") == "save" and json.loads(write.save.metadata_json)["step"] == 0:
            is_held.set()
            may_continue.wait(20)

    def read() -> None:
        for batch in guest.events(wanted):
            for event in batch.events:
                if event.WhichOneof("event") == "chunk":
                    done.append(event.chunk.json.split('"')[1])

    host.taken[wanted.token] = hold
    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert is_held.wait(10)
        # As long as a whole run takes: a step that did not wait would be over by then.
        beside = request("counting", f"{thread_id}-beside", input={"n": 1}, head_known=True)
        assert guest.invoke(beside, until_saved=False).end.status == "completed"
        assert done == []
    finally:
        may_continue.set()
        reader.join(20)
    assert done == ["one", "two"]
    assert all(write.sync for write in host.writes[wanted.token])


def test_exit_saves_once_at_the_end(guest: GuestProcess, host: MemoryHost, thread_id: str) -> None:
    wanted = request("counting", thread_id, input={"n": 1}, durability="exit")
    done = guest.invoke(wanted)
    assert done.end.last_seq == len(host.checkpoints(thread_id)) == 1


def test_exit_keeps_an_interrupt(guest: GuestProcess, thread_id: str) -> None:
    guest.invoke(request("asking", thread_id, input={"n": 1}, durability="exit"))
    done = guest.invoke(request("asking", thread_id, command={"resume": 5}, durability="exit"))
    assert done.output == {"n": 5, "log": ["answered"]}


@pytest.mark.parametrize("durability", ["sync", "async"])
def test_a_refused_save_ends_the_run_at_once(
    guest: GuestProcess, host: MemoryHost, thread_id: str, durability: str
) -> None:
    refusal = messages.Error(code="run_fenced", message="Another attempt has taken over.")
    wanted = request("waiting", thread_id, input={"n": 1}, durability=durability)
    host.judge[wanted.token] = lambda write: refusal if write.seq == 2 else None
    # The node would sleep for half a minute.
    end = guest.invoke(wanted, until_saved=False).end
    assert (end.status, end.error.code, end.error.message) == (
        "error",
        refusal.code,
        refusal.message,
    )


def test_a_checkpoint_over_the_limit_names_its_largest_channel(
    guest: GuestProcess, thread_id: str
) -> None:
    ends = [guest.invoke(request("growing", thread_id, input={"n": 1})).end for _ in range(3)]
    error = ends[-1].error
    assert [end.status for end in ends] == ["completed", "error", "error"]
    assert error.code == "checkpoint_too_large"
    assert "'log'" in error.message
    assert "1048576" in error.message


def test_a_broken_stream_of_writes_fails_the_run_and_spares_the_next(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("stepping", thread_id, input={"n": 1})

    def break_off(write: Any) -> None:
        raise ConnectionError("as if the host had disconnected")

    host.judge[wanted.token] = break_off
    end = guest.invoke(wanted, until_saved=False).end
    assert (end.status, end.error.code) == ("error", "engine_unavailable")
    after = guest.invoke(request("counting", f"{thread_id}-next", input={"n": 1}))
    assert after.end.status == "completed"


class _SilentChannel:
    """Takes everything and acknowledges nothing."""

    transport_bytes = 1024

    def register(self, session: RunSession) -> None:
        pass

    def send(self, request: bytes) -> None:
        pass


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_save_may_be_acknowledged_when_its_run_is_being_cancelled(is_refused: bool) -> None:
    session = RunSession(_SilentChannel(), "token", sync=True)  # type: ignore[arg-type]

    async def save_and_be_cancelled() -> None:
        durable = session.write(messages.WriteRequest())
        waiting = asyncio.ensure_future(asyncio.wrap_future(durable))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(save_and_be_cancelled())
    # It comes on the thread that reads for every run of the guest: nothing may end that one.
    if is_refused:
        session.fail(ServiceError("run_fenced", "Another attempt has taken over."))
    else:
        session.acknowledge(1)


def test_a_refused_load_ends_the_run_with_its_code(
    guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    wanted = request("counting", thread_id, input={"n": 1})
    host.closed_to.add(wanted.token)
    error = guest.invoke(wanted).end.error
    assert (error.code, error.message) == ("run_fenced", "The token is of another thread.")
