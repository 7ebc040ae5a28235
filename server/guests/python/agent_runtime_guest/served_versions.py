"""Which releases of the agent's own packages this guest works with, and the errors of others.

Tested are the oldest, the middle and the newest release of each line: docs/compatibility.md.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata


@dataclass(frozen=True)
class Line:
    """A package: the oldest release that works, and the newest major release that was tested."""

    package: str
    oldest: str
    newest_major: int
    is_needed: bool = False


SERVED = (
    Line("langgraph", "0.5", 1, is_needed=True),
    Line("langchain-core", "0.3", 1),
    Line("protobuf", "5", 7),
)


# What the agent's environment has, before the guest's own packages are beside it.
_agents_own: dict[str, str | None] = {}


def add_libraries(folder: str) -> None:
    """Puts the folder with the guest's own packages on the path: last, so the agent's own win.

    With a protobuf that is too old the guest could not even report it: it is first then.
    """
    _agents_own.update({line.package: installed(line.package) for line in SERVED})
    is_first = any(
        line.package == "protobuf" and _is_too_old(line, _agents_own[line.package])
        for line in SERVED
    )
    sys.path.insert(0 if is_first else len(sys.path), folder)


def installed(package: str) -> str | None:
    """The release of a package in the agent's environment, or None."""
    if package in _agents_own:
        return _agents_own[package]
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def check(find: Callable[[str], str | None] = installed) -> list[str]:
    """Raises `agent_error` when a package is missing or too old, with both releases in its message.

    Returns a warning for each that is of a newer major release than was tested: it is served.
    """
    from .errors import ServiceError  # which needs protobuf

    warnings = []
    for line in SERVED:
        found = find(line.package)
        if found is None:
            if line.is_needed:
                raise ServiceError("agent_error", _missing(line))
            continue
        if _is_too_old(line, found):
            raise ServiceError("agent_error", _too_old(line, found))
        if numbers(found)[:1] > (line.newest_major,):
            warnings.append(_too_new(line, found))
    return warnings


def numbers(version: str) -> tuple[int, ...]:
    """The release's numbers without zeros at their end; `0.6.0rc1` counts as 0.6.

    Empty when there is no number in front, which is older than everything.
    """
    found = re.match(r"v?(?:\d+!)?(\d+(?:\.\d+)*)", version.strip())
    parts = [int(part) for part in found[1].split(".")] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _is_too_old(line: Line, found: str | None) -> bool:
    return found is not None and numbers(found) < numbers(line.oldest)


def _missing(line: Line) -> str:
    return (
        f"{line.package} is not installed for the agent; {line.oldest} or newer is needed. "
        f"Install what the agent requires into its Python environment, for example with "
        f'`pip install "{line.package}>={line.oldest}"`.'
    )


def _too_old(line: Line, found: str) -> str:
    return (
        f"{line.package} {found}; {line.oldest} or newer is needed. Update it in the agent's "
        f'Python environment, for example with `pip install "{line.package}>={line.oldest}"`.'
    )


def _too_new(line: Line, found: str) -> str:
    return (
        f"{line.package} {found} is newer than what was tested "
        f"({line.oldest} to {line.newest_major}.x): the agents are served all the same."
    )
