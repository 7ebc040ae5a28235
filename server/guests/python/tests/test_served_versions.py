"""Which releases of LangGraph are served, and the errors of the others."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from agent_runtime_guest import invocation, messages
from agent_runtime_guest.agents import Agent
from agent_runtime_guest.config import GuestConfig
from agent_runtime_guest.errors import ServiceError
from agent_runtime_guest.host_channel import HostChannel
from agent_runtime_guest.output_capture import OutputCapture
from agent_runtime_guest.served_versions import SERVED, Line, check, numbers
from agent_runtime_guest.service import AgentsService
from agent_runtime_guest.threads import RunThreads
from agent_runtime_guest.web import Web

from .guest_process import PACKAGE_FOLDER, GuestProcess, request
from .host import MemoryHost

_GOOD = {"langgraph": "1.2.22", "langchain-core": "1.7.2", "protobuf": "7.36.2"}


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("0.5", (0, 5)),
        ("0.5.0", (0, 5)),
        ("0.10.1", (0, 10, 1)),
        ("1.0.0rc1", (1,)),
        ("1.2.dev3+local.4", (1, 2)),
        ("1!2.0.post1", (2,)),
        ("v3.4 ", (3, 4)),
        ("unknown", ()),
        ("", ()),
    ],
)
def test_the_numbers_of_a_release(version: str, found: tuple[int, ...]) -> None:
    assert numbers(version) == found


@pytest.mark.parametrize(
    "releases",
    [
        {},
        {"langgraph": "0.5.0", "langchain-core": "0.3.66", "protobuf": "5.29.6"},
        {"langgraph": "0.5.0rc0"},
        {"protobuf": None, "langchain-core": None},
    ],
)
def test_served_releases(releases: dict[str, Any]) -> None:
    assert check({**_GOOD, **releases}.get) == []


@pytest.mark.parametrize(
    ("releases", "sentence"),
    [
        ({"langgraph": "0.2.76"}, "langgraph 0.2.76; 0.5 or newer is needed. "),
        ({"langgraph": "0.4.10"}, "langgraph 0.4.10; 0.5 or newer is needed. "),
        ({"langgraph": None}, "langgraph is not installed for the agent; 0.5 or newer is needed. "),
        ({"langchain-core": "0.2.43"}, "langchain-core 0.2.43; 0.3 or newer is needed. "),
        ({"protobuf": "3.20.3"}, "protobuf 3.20.3; 5 or newer is needed. "),
    ],
)
def test_releases_that_are_refused(releases: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ServiceError, match="pip install") as refused:
        check({**_GOOD, **releases}.get)
    assert refused.value.code == "agent_error"
    assert refused.value.message.startswith(sentence)


@pytest.mark.parametrize("line", SERVED, ids=lambda line: line.package)
def test_the_documentation_has_the_same_releases(line: Line) -> None:
    document = (PACKAGE_FOLDER.parents[2] / "docs" / "compatibility.md").read_text()
    assert f"| `{line.package}` | {line.oldest} or newer, to {line.newest_major}.x |" in document


def test_a_newer_major_release_is_served_with_a_warning() -> None:
    assert check({**_GOOD, "langgraph": "2.0.1"}.get) == [
        "langgraph 2.0.1 is newer than what was tested (0.5 to 1.x): "
        "the agents are served all the same."
    ]


# A guest each: what it finds in its environment is decided when it starts.
@pytest.mark.parametrize("version", ["0.2.76", "2.0.1"])
def test_a_release_by_its_metadata_alone(
    folder: Path, host: MemoryHost, thread_id: str, tmp_path: Path, version: str
) -> None:
    (tmp_path / "langgraph-0.dist-info").mkdir()
    metadata = f"Metadata-Version: 2.1\nName: langgraph\nVersion: {version}\n"
    (tmp_path / "langgraph-0.dist-info" / "METADATA").write_text(metadata)
    guest = GuestProcess(folder, host, {"counting": "./shapes.py:counting"}, packages=tmp_path)
    try:
        description = guest.describe("counting")["counting"]
        done = guest.invoke(request("counting", thread_id, input={"n": 1}))
    finally:
        guest.close()
    if version == "0.2.76":
        sentence = "langgraph 0.2.76; 0.5 or newer is needed."
        assert description.error.message.startswith(sentence)
        assert done.end.error.message.startswith(sentence)
    else:
        assert (description.HasField("error"), done.end.status) == (False, "completed")
        warnings = [text for _, text in guest.printed("") if "newer than what was tested" in text]
        assert len(warnings) == 1


def test_a_langgraph_that_lacks_what_the_guest_needs(
    folder: Path, host: MemoryHost, thread_id: str, tmp_path: Path
) -> None:
    """As 0.5 once did: the module was elsewhere, and every run hung."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "for name in ('langgraph.pregel._io', 'langgraph.pregel.io'):\n"
        "    sys.modules[name] = None\n"
    )
    guest = GuestProcess(folder, host, {"counting": "./shapes.py:counting"}, packages=tmp_path)
    try:
        done = guest.invoke(request("counting", thread_id, input={"n": 1}))
    finally:
        guest.close()
    assert (done.end.status, done.end.error.code) == ("error", "agent_error")
    assert re.match(r"langgraph \S+ cannot be used: ModuleNotFoundError", done.end.error.message)


async def test_a_failure_of_the_machinery_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> Any:
        raise ImportError("no such thing")

    monkeypatch.setattr(invocation, "run_graph", broken)
    config = GuestConfig("", "/nowhere.sock", "")
    channel = HostChannel(config)
    service = AgentsService([Agent("agent")], channel, RunThreads(), OutputCapture(), Web(config))
    try:
        asked = messages.InvokeRequest(token="t", run_id="r", agent_id="agent")
        events = [
            e for batch in [b async for b in service.invoke(asked, None)] for e in batch.events
        ]
    finally:
        channel.close()
    (event,) = events
    assert (event.end.status, event.end.error.message) == ("error", "no such thing")


async def test_a_response_that_cannot_be_read_wakes_its_waiter() -> None:
    class Unreadable:
        def future(self, *_: Any, **__: Any) -> Any:
            result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            result.set_result("no message")
            return result

    channel = HostChannel(GuestConfig("", "/nowhere.sock", ""))
    channel._load = Unreadable()
    loaded: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    try:
        channel.load_later(None, lambda *result: loaded.set_result(result))
        found, error = await loaded
    finally:
        channel.close()
    assert (found, error.code) == (None, "internal")
