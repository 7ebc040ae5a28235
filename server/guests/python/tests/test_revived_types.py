"""Stored values become objects of known types, and nothing that a checkpoint names is run."""

import json
import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from .agents import typed
from .guest_process import GuestProcess, read_request, request, update_request
from .host import MemoryHost

_AGENTS = {"typed": "./typed.py:graph", "functional": "./typed.py:functional"}


def ext(code: int, *parts: Any) -> Any:
    """An extension of LangGraph's msgpack."""
    return ormsgpack.Ext(code, ormsgpack.packb(parts))


def attacks(path: str) -> dict[str, Any]:
    """Values that make a folder where the serialiser believes them."""
    call = ext(0, "os", "mkdir", path)
    lc2 = {"lc": 2, "type": "constructor", "id": ["os", "mkdir"], "args": [path]}
    return {
        "one argument": call,
        "arguments": ext(1, "os", "mkdir", [path]),
        "named arguments": ext(2, "os", "makedirs", {"name": path}),
        "a method": ext(3, "shutil", "os", path, "mkdir"),
        "pydantic 1": ext(4, "os", "makedirs", {"name": path}),
        "pydantic 2": ext(5, "os", "makedirs", {"name": path}, "model_validate_json"),
        "a delta": ormsgpack.Ext(7, ormsgpack.packb(call)),
        "an array": ormsgpack.Ext(6, ormsgpack.packb(["<i8", call, "C", b""])),
        "in a list": [[1, call]],
        "in a dict": {"a": {"b": call}},
        "in a set": ext(0, "builtins", "set", [call]),
        "in a message": ext(
            5, "langchain_core.messages.human", "HumanMessage", {"content": "c", "name": call}
        ),
        "in an own type": ext(2, "typed", "Point", {"x": call, "more": None}),
        "a function of the agent": ext(0, "typed", "make_folder", path),
        "a function that the agent imports": ext(0, "typed", "mkdir", path),
        "a class that the agent imports": ext(0, "typed", "Popen", ["mkdir", path]),
        "a class that is no data": ext(0, "typed", "Opener", path),
        "a module that is not imported": ext(2, "not_imported", "Thing", {"a": 1}),
        "a name of a library": ext(0, "langchain_core.messages.base", "os.mkdir", path),
        "lc 2": lc2,
    }


@pytest.fixture(scope="module")
def canary_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("canary") / "made"


@pytest.fixture
def canary(canary_path: Path) -> Iterator[Path]:
    """A folder that exists when something was run."""
    yield canary_path
    if canary_path.exists():
        canary_path.rmdir()


@pytest.fixture(scope="module")
def typed_guest(folder: Path, host: MemoryHost, canary_path: Path) -> Iterator[GuestProcess]:
    os.environ["CANARY"] = str(canary_path)
    with GuestProcess(folder, host, _AGENTS) as process:
        yield process


def read(guest: GuestProcess, thread_id: str, **more: Any) -> list[Any]:
    response = guest.read_states(read_request("typed", thread_id, **more))
    assert not response.HasField("error"), response.error
    return [json.loads(text) for text in response.states_json]


def forge(host: MemoryHost, thread_id: str, tag: str, data: bytes) -> None:
    """Replaces what the thread has in `kept` by bytes, also beside its last checkpoint."""
    for blob in host.blobs_of(thread_id):
        if blob.channel == "kept":
            blob.value.tag, blob.value.data = tag, data
    head = host.head(thread_id)
    write = head.writes.add(task_id="t", index=0, channel="kept")
    write.value.tag, write.value.data = tag, data
    host.add_pending(head, write)


@pytest.mark.parametrize("name", [*attacks("")])
def test_a_forged_value_runs_nothing(
    typed_guest: GuestProcess, host: MemoryHost, thread_id: str, canary: Path, name: str
) -> None:
    typed_guest.invoke(request("typed", thread_id, input={}))
    stored = ormsgpack.packb(attacks(str(canary))[name])
    forge(host, thread_id, "msgpack", stored)
    (seen,) = read(typed_guest, thread_id)
    assert read(typed_guest, thread_id, history=5)[0]["values"] == seen["values"]
    again = typed_guest.invoke(request("typed", thread_id, input={"reprs": []}))
    assert again.end.status == "completed", again.end.error
    typed_guest.update_state(update_request("typed", thread_id, {"reprs": ["x"]}))
    assert not canary.exists()
    assert ("__type__" in json.dumps(seen["values"]["kept"])) == (name != "lc 2")
    copied = next(b for b in host.blobs_of(thread_id) if b.channel == "copied")
    if name != "in a message":  # of which pydantic makes plain dicts, all the way down
        assert copied.value.data == stored


def test_bytes_that_cannot_be_read_are_shown_and_kept(
    typed_guest: GuestProcess, host: MemoryHost, thread_id: str, canary: Path
) -> None:
    typed_guest.invoke(request("typed", thread_id, input={}))
    call = ormsgpack.packb(attacks(str(canary))["one argument"])
    is_key = b"\x81" + call + b"\x01"  # a map with an extension as its key
    forge(host, thread_id, "msgpack", is_key)
    (seen,) = read(typed_guest, thread_id)
    assert seen["values"]["kept"]["__type__"] == "msgpack"
    typed_guest.invoke(request("typed", thread_id, input={"reprs": []}))
    copied = next(b for b in host.blobs_of(thread_id) if b.channel == "copied")
    assert (copied.value.data, canary.exists()) == (is_key, False)


def test_a_forged_checkpoint_is_an_error(
    typed_guest: GuestProcess, host: MemoryHost, thread_id: str
) -> None:
    typed_guest.invoke(request("typed", thread_id, input={}))
    host.stored_head(thread_id).skeleton.data = ormsgpack.packb([1])
    error = typed_guest.read_states(read_request("typed", thread_id)).error
    assert (error.code, error.message) == (
        "agent_error",
        "The stored checkpoint is not one of LangGraph's.",
    )


@pytest.mark.parametrize("tag", ["pickle", "json"])
def test_a_forged_tag_runs_nothing(
    typed_guest: GuestProcess, host: MemoryHost, thread_id: str, canary: Path, tag: str
) -> None:
    class Call:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(canary),))

    lc2 = json.dumps(attacks(str(canary))["lc 2"]).encode()
    data = {"pickle": pickle.dumps(Call()), "json": lc2}[tag]
    typed_guest.invoke(request("typed", thread_id, input={}))
    forge(host, thread_id, tag, data)
    (seen,) = read(typed_guest, thread_id)
    again = typed_guest.invoke(request("typed", thread_id, input={"reprs": []}))
    assert (again.end.status, canary.exists()) == ("completed", False), again.end.error
    copied = next(b for b in host.blobs_of(thread_id) if b.channel == "copied")
    if tag == "pickle":
        assert seen["values"]["kept"]["__type__"] == "pickle"
        assert (copied.value.tag, copied.value.data) == (tag, data)
    else:
        assert seen["values"]["kept"] == json.loads(data)


def test_an_agents_own_types_and_common_ones_come_back(
    typed_guest: GuestProcess, thread_id: str
) -> None:
    typed_guest.invoke(request("typed", thread_id, input={}))
    reprs = typed_guest.invoke(request("typed", thread_id, input={"reprs": []})).output["reprs"]
    wanted = [repr(one) for one in typed.some_values()]
    is_tuple = wanted.index("(1, 2)")
    assert reprs[is_tuple] == "[1, 2]"  # as LangGraph stores it
    assert reprs[:is_tuple] + reprs[is_tuple + 1 :] == [w for w in wanted if w != "(1, 2)"]


def test_what_tasks_return_comes_back(typed_guest: GuestProcess, thread_id: str) -> None:
    typed_guest.invoke(request("functional", thread_id, input={}))
    done = typed_guest.invoke(request("functional", thread_id, command={"resume": "yes"}))
    assert done.output == "from a task"


def test_a_type_that_is_not_known_is_data_until_a_setting_names_it(
    folder: Path, host: MemoryHost, thread_id: str, typed_guest: GuestProcess, tmp_path: Path
) -> None:
    lines = ["from dataclasses import dataclass", "@dataclass", "class Item:", "    a: int = 1"]
    (tmp_path / "elsewhere.py").write_text("\n".join(lines))
    typed_guest.invoke(request("typed", thread_id, input={}))
    forge(host, thread_id, "msgpack", ormsgpack.packb([ext(2, "elsewhere", "Item", {"a": 5})]))
    (seen,) = read(typed_guest, thread_id)
    assert seen["values"]["kept"] == [{"a": 5, "__type__": "elsewhere.Item"}]
    for allowed in ("elsewhere.Item", "elsewhere.*"):
        more = {"packages": tmp_path, "allowed_types": [allowed]}
        with GuestProcess(folder, host, _AGENTS, **more) as guest:
            done = guest.invoke(request("typed", thread_id, input={"reprs": []}))
        assert done.output["reprs"] == ["Item(a=5)"]


def test_a_read_of_a_thread_of_another_agent_shows_its_types_as_data(
    folder: Path, host: MemoryHost, thread_id: str, typed_guest: GuestProcess
) -> None:
    typed_guest.invoke(request("typed", thread_id, input={}))
    with GuestProcess(folder, host, {"chat": "./shapes.py:chat"}) as guest:
        response = guest.read_states(read_request("chat", thread_id))
    assert not response.HasField("error"), response.error
