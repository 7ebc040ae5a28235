"""The packages of a `uv.lock`, as requirements for pip. Needs nothing but pip itself."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

KNOWN_VERSION = 1
PYPI = "https://pypi.org/simple"
#: Sources whose code is imported from its folder, and not installed.
FOLDERS = ("virtual", "editable", "directory")


class UnusableLock(Exception):
    """The lock cannot be installed from; the sentence is for a person."""


@dataclass
class Locked:
    """Requirements with versions, and the indexes that they come from besides the usual one."""

    #: By name: a line with hashes, which pip checks.
    hashed: dict[str, str] = field(default_factory=dict)
    #: What has none: a repository of Git.
    plain: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    indexes: set[str] = field(default_factory=set)

    def add(self, other: "Locked") -> None:
        """Those of another folder; two locks have to agree."""
        for name, version in other.versions.items():
            if self.versions.setdefault(name, version) != version:
                raise UnusableLock(f"Two uv.lock files want different versions of {name}.")
        self.hashed.update(other.hashed)
        self.plain.update(other.plain)
        self.indexes.update(other.indexes)


def locked_packages(lock: dict, folder: Path) -> Locked | None:
    """What the project in the folder needs on this interpreter, without its groups and extras.

    None where the lock is not the project's.
    """
    if lock.get("version") != KNOWN_VERSION:
        raise UnusableLock(f"uv.lock has version {lock.get('version')}, and 1 is known.")
    packages = lock.get("package", [])
    root = next((one for one in packages if _is_root(one["source"])), None)
    if root is None:
        return None
    locked = Locked()
    seen: set[tuple[str, str, str]] = set()
    waiting = [(root, "")]
    while waiting:
        package, extra = waiting.pop()
        key = (package["name"], package.get("version", ""), extra)
        if key in seen:
            continue
        seen.add(key)
        _pin(package, folder, locked)
        extras = package.get("optional-dependencies", {})
        for one in extras.get(extra, []) if extra else package.get("dependencies", []):
            if _holds(one.get("marker")):
                found = _find(packages, one)
                waiting += [(found, name) for name in ["", *one.get("extra", [])]]
    return locked


def _is_root(source: dict) -> bool:
    return "." in (source.get("virtual"), source.get("editable"))


def _holds(marker: str | None) -> bool:
    from pip._vendor.packaging.markers import Marker

    return marker is None or Marker(marker).evaluate({"extra": ""})


def _find(packages: list[dict], wanted: dict) -> dict:
    """A lock that forks has a package more than once; then what needs it names which one."""
    for package in packages:
        if package["name"] == wanted["name"] and all(
            key not in wanted or package.get(key) == wanted[key] for key in ("version", "source")
        ):
            return package
    raise UnusableLock(f"uv.lock lacks {wanted['name']}; make it anew with `uv lock`.")


def _pin(package: dict, folder: Path, locked: Locked) -> None:
    name, source, version = package["name"], package["source"], package.get("version", "")
    if any(kind in source for kind in FOLDERS):
        return
    known = locked.versions.setdefault(name, version)
    if known != version:
        raise UnusableLock(f"uv.lock has two versions of {name} for this Python.")
    if "git" in source:
        locked.plain[name] = f"{name} @ {_git(source['git'])}"
        return
    files = [package.get("sdist"), *package.get("wheels", [])]
    hashes = [file["hash"] for file in files if file and "hash" in file]
    line = f"{name}=={version}"
    if "url" in source:
        line = f"{name} @ {source['url']}"
    elif "path" in source:
        line = f"{name} @ {(folder / source['path']).as_uri()}"
    elif source["registry"].rstrip("/") != PYPI and "://" in source["registry"]:
        locked.indexes.add(source["registry"])
    if hashes:
        locked.hashed[name] = " ".join([line, *(f"--hash={digest}" for digest in hashes)])
    else:
        locked.plain[name] = line


def _git(address: str) -> str:
    """`https://host/it?rev=main&subdirectory=lib#<commit>`, as pip has it."""
    parts = urlsplit(address)
    below = parse_qs(parts.query).get("subdirectory")
    url = parts._replace(query="", fragment="").geturl()
    return f"git+{url}@{parts.fragment}" + (f"#subdirectory={below[0]}" if below else "")
