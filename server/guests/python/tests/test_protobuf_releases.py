"""The guest works with the protobuf that the agent's environment happens to have."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from .guest_process import PACKAGE_FOLDER, GuestProcess, request
from .host import MemoryHost

_CACHE = PACKAGE_FOLDER.parent.parent.parent / ".cache" / "guest-protobuf"
# The index may be slow; the test itself then has the time of every other.
_INSTALL_SECONDS = 60


def _not_installed(reason: str) -> NoReturn:
    """In CI, where the index is reachable, it is a failure."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


def _installed(release: str) -> Path:
    target = _CACHE / release
    if target.exists():
        return target
    unfinished = Path(f"{target}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    wanted = ["install", "--quiet", "--target", str(unfinished), f"protobuf=={release}"]
    pip = [sys.executable, "-m", "pip", *wanted]
    if (uv := shutil.which("uv")) is not None:
        pip = [uv, "pip", *wanted, "--python", sys.executable]
    try:
        subprocess.run(pip, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=True)
    except subprocess.TimeoutExpired:
        _not_installed(f"protobuf {release} was not installed within {_INSTALL_SECONDS} s")
    except subprocess.CalledProcessError as error:
        _not_installed(f"protobuf {release} cannot be installed: {error.stderr.strip()[-200:]}")
    unfinished.rename(target)
    return target


# Each release needs a separate guest, which imports LangGraph anew.
@pytest.mark.release
@pytest.mark.timeout(_INSTALL_SECONDS + 60)
@pytest.mark.parametrize("release", ["5.29.6", "6.33.6"])
def test_a_run_with_that_release(
    folder: Path, host: MemoryHost, thread_id: str, release: str
) -> None:
    agents = {"asking": "./shapes.py:asking", "version": "./protobuf_version.py:graph"}
    guest = GuestProcess(folder, host, agents, packages=_installed(release))
    try:
        found = guest.invoke(request("version", f"{thread_id}-version", input={"n": 0}))
        asked = guest.invoke(request("asking", thread_id, input={"n": 1}))
        done = guest.invoke(request("asking", thread_id, command={"resume": 4}))
    finally:
        guest.close()
    assert found.output["log"] == [release]
    assert (asked.end.status, done.output["n"]) == ("interrupted", 4)


def test_the_release_of_the_requirements_is_7(guest: GuestProcess, thread_id: str) -> None:
    found = guest.invoke(request("protobuf", thread_id, input={"n": 0}))
    assert found.output["log"][0].startswith("7.")
