"""When this process ends: with its parent, or when told to."""

import os
import signal
import threading


def end_with_parent() -> None:
    """Ends the process as soon as stdin does: the host holds its other end open while it lives."""
    watched = os.dup(0)
    # Agent code that reads stdin must not take the signal away, nor wait for it.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def watch() -> None:
        try:
            while os.read(watched, 4096):
                pass
        except OSError:
            pass
        os._exit(0)

    thread = threading.Thread(target=watch, name="parent-watch", daemon=True)
    leave_alone(thread)
    thread.start()


def leave_alone(thread: threading.Thread) -> None:
    """No debugger stops at what this thread does, nor stops it with the others."""
    thread.pydev_do_not_trace = True  # type: ignore[attr-defined]
    thread.is_pydev_daemon_thread = True  # type: ignore[attr-defined]


def ignore_terminal_interrupt() -> None:
    """Ctrl+C reaches the whole process group; the host finishes its runs first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
