"""Environments as agents have them, with other releases than the tests' own, kept in .cache."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .guest_process import PACKAGE_FOLDER

_CACHE = PACKAGE_FOLDER.parent.parent.parent / ".cache" / "agent-environments"
# The index may be slow, and so may be a machine that compiles all modules of an environment.
INSTALL_SECONDS = 300


def agent_python(*requirements: str) -> Path:
    """The interpreter of an environment with these packages; made when there is none."""
    folder = _CACHE / f"python-{_hash(*requirements)}"
    python = folder / "bin" / "python"
    if not _is_made(folder):
        if (uv := shutil.which("uv")) is not None:
            _run(uv, "venv", "--quiet", "--python", sys.executable, str(folder))
        else:
            _run(sys.executable, "-m", "venv", str(folder))
        _install(requirements, "--python", str(python))
        _mark(folder)
    return python


def guest_libraries() -> Path:
    """The folder with what the guest needs beside an agent's own packages."""
    requirements = PACKAGE_FOLDER / "requirements.txt"
    folder = _CACHE / f"guest-{_hash(requirements.read_text())}"
    if not _is_made(folder):
        wanted = ("-r", str(requirements))
        _install(wanted, "--python", sys.executable, "--target", str(folder))
        _mark(folder)
    return folder


def _install(wanted: tuple[str, ...], *options: str) -> None:
    if (uv := shutil.which("uv")) is not None:
        _run(uv, "pip", "install", "--quiet", "--compile-bytecode", *options, *wanted)
        return
    _, python, *target = options
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run(*pip, *target, *wanted)


def _hash(*parts: str) -> str:
    about = "\n".join((sys.version, *sorted(parts)))
    return hashlib.sha256(about.encode()).hexdigest()[:16]


def _is_made(folder: Path) -> bool:
    """Whether it is whole; a half-made one is removed."""
    if (folder / ".made").exists():
        return True
    shutil.rmtree(folder, ignore_errors=True)
    return False


def _mark(folder: Path) -> None:
    (folder / ".made").touch()


def _run(*command: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        env=environment,
    )
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()[-2000:]}"
