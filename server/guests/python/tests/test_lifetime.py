"""When the guest ends."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from .guest_process import GuestProcess
from .host import MemoryHost


@pytest.fixture
def mortal(folder: Path, host: MemoryHost) -> Iterator[GuestProcess]:
    process = GuestProcess(folder, host, {"counting": "./shapes.py:counting"})
    yield process
    process.close()


def test_it_leaves_ctrl_c_to_its_parent_and_ends_with_it(mortal: GuestProcess) -> None:
    mortal.process.send_signal(signal.SIGINT)
    assert mortal.health().language == "python"
    mortal.process.stdin.close()
    assert mortal.process.wait(5) == 0


def test_it_ends_on_sigterm(mortal: GuestProcess) -> None:
    mortal.process.terminate()
    assert mortal.process.wait(5) == 0
