"""The guest works with the protobuf that the agent's environment happens to have."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .guest_process import PACKAGE_FOLDER, GuestProcess, request
from .host import MemoryHost

_CACHE = PACKAGE_FOLDER.parent.parent.parent / ".cache" / "guest-protobuf"


def _installed(release: str) -> Path:
    target = _CACHE / release
    if target.exists():
        return target
    wanted = ["install", "--quiet", "--target", f"{target}.part", f"protobuf=={release}"]
    pip = [sys.executable, "-m", "pip", *wanted]
    if (uv := shutil.which("uv")) is not None:
        pip = [uv, "pip", *wanted, "--python", sys.executable]
    done = subprocess.run(pip, capture_output=True, text=True, timeout=50, check=False)
    if done.returncode != 0:
        pytest.skip(f"protobuf {release} cannot be installed: {done.stderr.strip()[-200:]}")
    Path(f"{target}.part").rename(target)
    return target


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
