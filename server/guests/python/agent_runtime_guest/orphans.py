"""Programs that agents start are adopted by this process when their own parent ends.

So they descend from it in any session and environment, and the host ends them with it.
"""

import gc
import os
import sys
import threading
import time
from pathlib import Path

from .lifetime import hide_from_debugger

_PR_SET_CHILD_SUBREAPER = 36
_LOOK_EVERY_S = 10.0


def adopt_orphans() -> "Orphans | None":
    """Makes this process the parent of all below it that lose theirs, on Linux."""
    orphans = Orphans()
    if not sys.platform.startswith("linux") or orphans.children() is None:
        return None
    try:
        import ctypes

        if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            return None
    except (ImportError, OSError, AttributeError):
        return None
    thread = threading.Thread(target=orphans.watch, name="orphan-watch", daemon=True)
    hide_from_debugger(thread)
    thread.start()
    return orphans


class Orphans:
    """Waits for those that no other code waits for: without it zombies would pile up.

    Which child was adopted is not recorded anywhere, and a Popen whose exit code is taken by other
    code assumes success. So a few zombies may stay, and of more only those are reaped that are
    dead for long and that no Popen knows.
    """

    def __init__(self, kept: int = 64, dead_for_s: float = 60.0) -> None:
        self._kept = kept
        self._dead_for_s = dead_for_s
        self._dead_since: dict[int, float] = {}
        self._started_early: set[int] = set()

    def children(self) -> list[int] | None:
        """The children of this process's main thread, which is the one that adopts."""
        try:
            text = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
        except OSError:
            return None
        return [int(pid) for pid in text.split()]

    def note_started(self) -> None:
        """What runs already was started by modules; `gc.freeze` hides their Popen objects."""
        self._started_early.update(self.children() or [])

    def watch(self) -> None:
        """Runs for ever, on a separate thread."""
        while True:
            time.sleep(_LOOK_EVERY_S)
            self.look()

    def look(self) -> None:
        """Reaps zombies when there are too many."""
        now = time.monotonic()
        dead = [pid for pid in self.children() or [] if _is_dead(pid)]
        self._dead_since = {pid: self._dead_since.get(pid, now) for pid in dead}
        if len(dead) <= self._kept:
            return
        old = {pid for pid in dead if now - self._dead_since[pid] >= self._dead_for_s}
        old -= self._started_early
        for pid in old - _known_to_popen() if old else ():
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass  # other code was faster


def _is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2][1] == "Z"
    except (OSError, IndexError):
        return False


def _known_to_popen() -> set[int]:
    """Of subprocess, asyncio, multiprocessing and those that have classes of the same name."""
    popens = (one for one in gc.get_objects() if type(one).__name__ == "Popen")
    return {pid for one in popens if isinstance(pid := getattr(one, "pid", None), int)}
