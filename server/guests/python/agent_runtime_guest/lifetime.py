"""When this process ends: with its parent, or on SIGTERM."""

import os
import signal
import threading
from collections.abc import Callable

# The host kills what has not ended after 5 s.
_SHUTDOWN_SECONDS = 3.0

_shutdown_hooks: list[Callable[[Callable[[], None]], None]] = []
_is_ending = threading.Lock()


def before_end(hook: Callable[[Callable[[], None]], None]) -> None:
    """Has this called before the process ends; it calls what it is given when it is done.

    From another thread or a signal handler; it gets a few seconds.
    """
    _shutdown_hooks[:] = [hook]


def end() -> None:
    """Ends the process, after `before_end` if there is one. Idempotent."""
    if not _shutdown_hooks:
        os._exit(0)
    if not _is_ending.acquire(blocking=False):
        return  # the end of stdin and SIGTERM come together
    timer = threading.Timer(_SHUTDOWN_SECONDS, os._exit, (0,))
    timer.daemon = True
    hide_from_debugger(timer)
    timer.start()
    try:
        _shutdown_hooks[0](lambda: os._exit(0))
    except BaseException:
        os._exit(0)


def end_with_parent(report_alive: Callable[[], None]) -> None:
    """Ends the process as soon as stdin does: the host holds its other end open while it lives.

    What the host writes there asks whether this process runs at all. `report_alive` replies from a
    separate thread: an event loop that an agent blocks does not delay it, an interpreter lock does.
    """
    watched = os.dup(0)
    # Agent code that reads stdin must not consume the signal, nor wait for it.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def watch() -> None:
        try:
            while os.read(watched, 4096):
                report_alive()
        except OSError:
            pass
        end()

    thread = threading.Thread(target=watch, name="parent-watch", daemon=True)
    hide_from_debugger(thread)
    thread.start()


def hide_from_debugger(thread: threading.Thread) -> None:
    """No debugger stops at what this thread does, nor stops it with the others."""
    thread.pydev_do_not_trace = True  # type: ignore[attr-defined]
    thread.is_pydev_daemon_thread = True  # type: ignore[attr-defined]


def ignore_terminal_interrupt() -> None:
    """Ctrl+C reaches the whole process group; the host finishes its runs first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
