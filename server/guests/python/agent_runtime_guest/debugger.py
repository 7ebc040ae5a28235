"""Starts a debugger in this process, before any agent is imported."""

import os
import sys
import threading
import time
from pathlib import Path

from .config import DebuggerConfig, GuestConfig
from .lifetime import hide_from_debugger
from .output_capture import HostOutput

_ROOTS = "LIBRARY_ROOTS"
_LOOK_EVERY_S = 0.25


def start_debugger(debugger: DebuggerConfig, config: GuestConfig, output: HostOutput) -> None:
    """Reports the debugger's port to the host; returns when the agents may be imported."""
    sys.path.append(debugger.lib_dir)  # last: the environment's own debugger wins
    _keep_out_of(config.lib_dir, debugger.lib_dir)
    if debugger.provider == "debugpy":
        _listen_with_debugpy(debugger, output)
    else:
        _dial_with_pydevd(debugger, output)


def _keep_out_of(*folders: str | None) -> None:
    """Limits "just my code" to the agent's: neither its packages nor the guest are stepped into."""
    import site
    import sysconfig

    paths = sysconfig.get_paths()
    roots = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    roots += [*site.getsitepackages(), site.getusersitepackages(), str(Path(__file__).parent)]
    roots += [folder for folder in folders if folder]
    os.environ.setdefault(_ROOTS, os.pathsep.join(dict.fromkeys(roots)))


def _listen_with_debugpy(debugger: DebuggerConfig, output: HostOutput) -> None:
    import debugpy

    if debugger.log_dir:
        debugpy.log_to(debugger.log_dir)
    debugpy.configure(subProcess=debugger.sub_process)
    # The host owns the port that clients know, and forwards them here.
    _, port = debugpy.listen(("127.0.0.1", 0))
    output.send({"event": "debugger", "port": port})
    if debugger.wait_for_client:
        debugpy.wait_for_client()


def _dial_with_pydevd(debugger: DebuggerConfig, output: HostOutput) -> None:
    try:
        import pydevd_pycharm as pydevd  # that of the IDE's own release
    except ImportError:
        import pydevd

    attached = threading.Event()

    def attach_for_good() -> None:
        from _pydevd_bundle.pydevd_constants import get_global_debugger

        while True:
            try:
                # The host takes the call at once, and dials the IDE until it responds: this
                # returns when the IDE has sent its breakpoints.
                pydevd.settrace("127.0.0.1", port=debugger.port, suspend=False)
                attached.set()
                while _is_attached(get_global_debugger()):
                    time.sleep(_LOOK_EVERY_S)
                pydevd.stoptrace()
            except Exception as error:
                os.write(2, f"pydevd: {error}\n".encode())
            time.sleep(_LOOK_EVERY_S)

    thread = threading.Thread(target=attach_for_good, name="pydevd-dialer", daemon=True)
    hide_from_debugger(thread)
    thread.start()
    output.send({"event": "debugger"})
    if debugger.wait_for_client:
        attached.wait()


def _is_attached(debugger: object) -> bool:
    return debugger is not None and not getattr(debugger, "pydb_disposed", False)
