"""The serialiser of checkpoints by itself, and the list of types it asks."""

import gc
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict

import ormsgpack
import pytest
from langgraph.graph import StateGraph

from agent_runtime_guest.checkpoint_serde import CheckpointSerde
from agent_runtime_guest.config import AgentEntry, GuestConfig
from agent_runtime_guest.own_modules import OwnModules
from agent_runtime_guest.revivable_types import RevivableTypes
from agent_runtime_guest.unrevived import store_unrevived_as_they_were


@pytest.fixture(scope="module", autouse=True)
def _stored_as_they_were() -> None:
    store_unrevived_as_they_were()


def ext(code: int, *parts: Any) -> Any:
    return ormsgpack.Ext(code, ormsgpack.packb(parts))


def load(value: Any, types: RevivableTypes | None = None) -> Any:
    serde = CheckpointSerde(types or RevivableTypes())
    return serde.loads_typed(("msgpack", ormsgpack.packb(value)))


def test_what_an_agent_changes_in_data_is_stored_with_its_type() -> None:
    for stored, changed in (
        (ext(2, "m", "T", {"a": 1}), ext(2, "m", "T", {"a": 2})),
        (ext(0, "m", "T", [1]), ext(0, "m", "T", 2)),
        (ext(5, "m", "T", {"a": 1}, "x"), ext(5, "m", "T", {"a": 2}, "x")),
    ):
        found = load([stored])
        found[0]["a" if "a" in found[0] else "value"] = 2
        assert CheckpointSerde().dumps_typed(found) == ("msgpack", ormsgpack.packb([changed]))


def test_subclasses_of_plain_types_are_stored_as_before() -> None:
    class Text(str):
        __slots__ = ()

    class Count(int):
        pass

    class Names(dict):  # type: ignore[type-arg]
        pass

    value = Names(a=[Text("x"), Count(3)])
    assert CheckpointSerde().dumps_typed(value)[1] == ormsgpack.packb({"a": ["x", 3]})


def test_extensions_that_are_nested_very_deep_are_data() -> None:
    value: Any = 1
    for _ in range(5000):
        value = ext(0, "builtins", "set", [value])
    assert load(value)


@pytest.mark.parametrize("parts", [[], ["m"], [1, 2, 3], ["m", "T"], [["m"], "T", 1]])
def test_a_broken_extension_is_kept(parts: list[Any]) -> None:
    stored = ormsgpack.Ext(0, ormsgpack.packb(parts))
    found = load([stored])
    assert found[0]["__type__"] == "msgpack extension 0"
    assert CheckpointSerde().dumps_typed(found)[1] == ormsgpack.packb([stored])


def test_classes_that_a_factory_makes_anew_are_known_while_they_live() -> None:
    def make() -> Any:
        @dataclass
        class Fresh:
            a: int = 1

        state = TypedDict("state", {"fresh": Fresh})  # noqa: UP013  Fresh is no name of the module
        graph = StateGraph(state)
        graph.add_node("n", lambda _: {})
        graph.set_entry_point("n")
        return graph.compile(), Fresh

    types = RevivableTypes()
    graph, fresh = make()
    types.add_graph(graph)
    assert types.find(__name__, "Fresh") is fresh
    del graph, fresh
    gc.collect()
    assert types.find(__name__, "Fresh") is None


def test_the_agents_own_modules_are_those_of_its_folders_and_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(name: str, file: str) -> str:
        module = ModuleType(name)
        module.__file__ = str(tmp_path / file)
        monkeypatch.setitem(sys.modules, name, module)
        return name

    own = OwnModules()
    agents = (AgentEntry("a", "its_package.graphs:graph"), AgentEntry("b", "./sub/x.py:graph"))
    own.configure(
        GuestConfig(
            str(tmp_path / "agent"), "", "", agents, import_paths=(str(tmp_path / "shared"),)
        )
    )
    is_own = {
        loaded("agent_code", "agent/sub/code.py"): True,
        loaded("shared_code", "shared/code.py"): True,
        loaded("its_package.models", "elsewhere/its_package/models.py"): True,
        loaded("its_package_too", "elsewhere/its_package_too.py"): False,
        loaded("installed", "agent/.venv/lib/python3/site-packages/installed.py"): False,
        loaded("beside", "agent-other/beside.py"): False,
        "subprocess": False,
        "not_loaded_at_all": False,
    }
    assert {name: own.has(name) for name in is_own} == is_own
