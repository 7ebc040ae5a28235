"""`python install_packages.py <config.json>`: installs Python packages, inside a sandbox.

The agents' packages are installed by the interpreter that will run them. Needs pip, and nothing
that is still to be installed. What goes wrong ends it with a sentence as the last line on stderr.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from agent_runtime_guest.uv_lock import Locked, UnusableLock, locked_packages

OLDEST = (3, 10)
# Nothing is imported from the working folder: it is the agents', and may have a pip.py.
PYTHON = [sys.executable, "-I"]
PIP = [*PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input"]


def main(config: dict) -> None:
    """`packages` are requirements, `files` files of them, `projects` folders; all into `target`."""
    if sys.version_info < OLDEST:
        release = ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"Python agents need Python 3.10 or newer; the image has {release}.")
    if "egress_socket" in config:
        from agent_runtime_guest.egress_forwarder import start_egress_forwarder

        start_egress_forwarder(config["egress_socket"], config["egress_port"])
    target = Path(config["target"])
    # Not below /tmp, which is small: pip unpacks everything once before it moves it.
    folder = target.parent / "tmp"
    folder.mkdir(exist_ok=True)
    tempfile.tempdir = str(folder)
    words = [*config.get("packages", [])]
    for file in config.get("files", []):
        words += ["-r", file]
    locked = Locked()
    for number, project in enumerate(config.get("projects", [])):
        if not _add_locked(locked, Path(project)):
            lines = _requirements(Path(project), folder)
            words += ["-r", _written(folder / f"project-{number}.txt", lines)]
    _install_locked(locked, target, folder)
    if words:
        versions = [f"{name}=={version}" for name, version in locked.versions.items()]
        agreed = ["-c", _written(folder / "versions.txt", versions)] if versions else []
        _install([*words, *agreed], target, folder)
    target.mkdir(exist_ok=True)
    # By their content and not by a time, which images do not keep; a file that is no Python of this
    # release (a template) is left as it is.
    compiling = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(target)]
    subprocess.run([*PYTHON, *compiling], stdout=subprocess.DEVNULL, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _add_locked(locked: Locked, project: Path) -> bool:
    lock = project / "uv.lock"
    if not lock.is_file():
        return False
    try:
        found = locked_packages(_read_toml(lock), project)
        if found:
            locked.add(found)
    except UnusableLock as error:
        sys.exit(str(error))
    except (AttributeError, KeyError, TypeError, ValueError):
        sys.exit("uv.lock cannot be read; make it anew with `uv lock`.")
    return found is not None


def _install_locked(locked: Locked, target: Path, folder: Path) -> None:
    """Each kind alone: pip checks the hashes of all that it installs at once, or of nothing."""
    words = ["--no-deps", *(f"--extra-index-url={index}" for index in sorted(locked.indexes))]
    if locked.hashed:
        lines = _written(folder / "hashed.txt", locked.hashed.values())
        _install([*words, "--require-hashes", "-r", lines], target, folder)
    if locked.plain:
        lines = _written(folder / "plain.txt", locked.plain.values())
        _install([*words, "-r", lines], target, folder)


def _install(words: list[str], target: Path, folder: Path) -> None:
    quiet = ["--progress-bar", "off", "--no-warn-script-location", "--no-cache-dir"]
    # pip leaves out what is there already, of `bin` all of it.
    made = target if not target.exists() else Path(tempfile.mkdtemp(dir=folder))
    _run([*PIP, "install", *quiet, "--no-compile", "--target", str(made), *words], folder)
    if made != target:
        shutil.copytree(made, target, symlinks=True, dirs_exist_ok=True)


def _written(file: Path, lines: Iterable[str]) -> str:
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def _requirements(project: Path, folder: Path) -> list[str]:
    """What a project depends on. Its own code is not installed: it is imported from its folder."""
    file = project / "pyproject.toml"
    if file.is_file():
        about = _read_toml(file)
        if "project" not in about and "build-system" not in about:
            return []
        if "project" in about and "dependencies" not in about["project"].get("dynamic", []):
            return about["project"].get("dependencies", [])
    return _requirements_of_build(project, folder)


def _read_toml(file: Path) -> dict:
    try:
        import tomllib
    except ImportError:
        from pip._vendor import tomli as tomllib  # Python 3.10
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _requirements_of_build(project: Path, folder: Path) -> list[str]:
    """As its build reports them: any backend. The build runs in a copy, as it writes files."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / "project"
    leave = shutil.ignore_patterns(".git", ".venv", "node_modules")
    shutil.copytree(project, copy, ignore=leave, ignore_dangling_symlinks=True)
    report = folder / "report.json"
    only_ask = ["--dry-run", "--no-deps", "--ignore-installed", "--quiet"]
    _run([*PIP, "install", *only_ask, "--report", str(report), str(copy)], folder)
    installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [line for one in installs for line in one["metadata"].get("requires_dist", [])]


def _run(words: list[str], folder: Path) -> None:
    ended = subprocess.run(words, env={**os.environ, "TMPDIR": str(folder)}, check=False)
    if ended.returncode != 0:
        sys.exit(1)  # pip has printed why


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
