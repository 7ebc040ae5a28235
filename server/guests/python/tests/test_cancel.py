"""Asking a run to stop."""

import threading
import time
import uuid
from typing import Any

from .guest_process import GuestProcess, Outcome, request


def _started(guest: GuestProcess, agent: str, word: str) -> tuple[Any, list[Outcome], Any]:
    wanted = request(agent, str(uuid.uuid4()), input={"n": 1})
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(guest.invoke(wanted)))
    thread.start()
    guest.line(run_id=wanted.run_id, text=word)
    return wanted, outcomes, thread


def _until_idle(guest: GuestProcess) -> None:
    deadline = time.monotonic() + 10
    while guest.health().active_runs:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_async_node_is_stopped(guest: GuestProcess) -> None:
    wanted, outcomes, thread = _started(guest, "waiting", "waiting")
    assert guest.health().active_runs == 1
    assert guest.cancel(wanted.token)
    thread.join(2)
    assert outcomes[0].end.status == "cancelled"
    _until_idle(guest)
    assert not guest.cancel(wanted.token)


def test_a_sync_node_stays_active_after_its_run_has_ended(guest: GuestProcess) -> None:
    wanted, outcomes, thread = _started(guest, "blocking", "blocking")
    assert guest.cancel(wanted.token)
    thread.join(1)
    assert outcomes[0].end.status == "cancelled"
    assert guest.health().active_runs == 1
    _until_idle(guest)


def test_a_node_that_will_not_be_cancelled_is_left_behind(guest: GuestProcess) -> None:
    wanted, outcomes, thread = _started(guest, "swallowing", "swallowing")
    assert guest.cancel(wanted.token)
    thread.join(6)
    assert outcomes[0].end.status == "cancelled"
    assert guest.health().active_runs == 1


def test_a_run_is_stopped_when_its_host_hangs_up(guest: GuestProcess) -> None:
    before = guest.health().active_runs
    wanted = request("waiting", str(uuid.uuid4()), input={"n": 1})
    stream = guest.events(wanted)
    guest.line(run_id=wanted.run_id, text="waiting")
    stream.cancel()
    deadline = time.monotonic() + 5
    while guest.health().active_runs > before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
