"""Asking a run to stop."""

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from .guest_process import GuestProcess, Outcome, request


@pytest.fixture
def flag(folder: Path) -> Iterator[Path]:
    """Nodes that cannot be stopped end when it exists."""
    path = folder / uuid.uuid4().hex
    yield path
    path.touch()


def _started(
    guest: GuestProcess, agent: str, word: str, flag: Path
) -> tuple[Any, "Future[Outcome]"]:
    wanted = request(agent, str(uuid.uuid4()), input={"n": 1, "log": [str(flag)]})
    pool = ThreadPoolExecutor(1)
    outcome = pool.submit(guest.invoke, wanted)
    pool.shutdown(wait=False)
    guest.line(run_id=wanted.run_id, text=word)
    return wanted, outcome


def _until_active(guest: GuestProcess, runs: int) -> None:
    deadline = time.monotonic() + 10
    while guest.health().active_runs != runs:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_async_node_is_stopped(guest: GuestProcess, flag: Path) -> None:
    wanted, outcome = _started(guest, "waiting", "waiting", flag)
    _until_active(guest, 1)
    assert guest.cancel(wanted.token)
    assert outcome.result(10).end.status == "cancelled"
    _until_active(guest, 0)
    assert not guest.cancel(wanted.token)


# The guest waits three seconds for the second one, which swallows its cancellation and continues.
@pytest.mark.parametrize(
    ("agent", "word"), [("blocking", "blocking"), ("swallowing", "swallowing")]
)
def test_a_node_that_does_not_stop_is_active_after_its_run_has_ended(
    guest: GuestProcess, agent: str, word: str, flag: Path
) -> None:
    wanted, outcome = _started(guest, agent, word, flag)
    assert guest.cancel(wanted.token)
    assert outcome.result(10).end.status == "cancelled"
    assert guest.health().active_runs == 1
    flag.touch()
    _until_active(guest, 0)


def test_a_run_is_stopped_when_its_host_hangs_up(guest: GuestProcess) -> None:
    wanted = request("waiting", str(uuid.uuid4()), input={"n": 1})
    stream = guest.events(wanted)
    guest.line(run_id=wanted.run_id, text="waiting")
    stream.cancel()
    _until_active(guest, 0)
