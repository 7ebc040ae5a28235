"""What agents' programs leave behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_runtime_guest.orphans import Orphans

from .guest_process import GuestProcess, request

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone has it")


def _stat(pid: int) -> tuple[str, int]:
    """Its state and its parent."""
    state, parent, *_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return state, int(parent)


def test_a_daemon_without_any_of_its_variables_still_descends_from_the_guest(
    guest: GuestProcess,
) -> None:
    outcome = guest.invoke(request("daemon", "t-daemon", input={}))
    daemon = outcome.output["pid"]
    assert _stat(daemon)[1] == guest.process.pid
    os.kill(daemon, signal.SIGKILL)


def test_of_too_many_zombies_those_without_a_waiter_are_reaped() -> None:
    early = subprocess.Popen(["sh", "-c", "exit 3"])
    held = subprocess.Popen(["sh", "-c", "exit 4"])
    forgotten = os.posix_spawnp("true", ["true"], os.environ)
    pids = [early.pid, held.pid, forgotten]
    for pid in pids:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    young = Orphans(kept=0, dead_for_s=600)
    young.look()
    few = Orphans(kept=1000, dead_for_s=0)
    few.look()
    assert [_stat(pid)[0] for pid in pids] == ["Z", "Z", "Z"]

    orphans = Orphans(kept=0, dead_for_s=0)
    assert set(pids) <= set(orphans.children() or [])
    orphans._started_early.add(early.pid)
    orphans.look()
    with pytest.raises(ChildProcessError):
        os.waitpid(forgotten, os.WNOHANG)
    assert [early.wait(), held.wait()] == [3, 4]
