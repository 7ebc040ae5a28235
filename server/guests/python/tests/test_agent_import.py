"""Where agents are imported from, in the layouts that public repositories have."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_runtime_guest.agent_import import add_import_paths, import_entry

from .guest_process import GuestProcess
from .host import MemoryHost

Layout = Callable[..., Callable[[str], Any]]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Layout]:
    """Writes files and puts folders on the path; returns what imports an entry of the manifest."""
    known = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(files: dict[str, str], paths: str = "app") -> Callable[[str], Any]:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        folders = [str(tmp_path / path) for path in paths.split()]
        add_import_paths(folders)
        return lambda entry: getattr(*import_entry(entry, str(tmp_path / "app"), folders))

    yield write
    for name in set(sys.modules) - known:
        del sys.modules[name]


PACKAGE = {
    "__init__.py": "from my_agent.graph import graph",
    "graph.py": "from my_agent.state import State\nfrom .tools import tool\ngraph = (State, tool)",
    "state.py": "class State: pass",
    "tools.py": "from my_agent.state import State\ntool = State",
}


@pytest.mark.parametrize("entry", ["./src/my_agent/graph.py:graph", "my_agent.graph:graph"])
def test_an_uninstalled_src_layout_is_one_package(layout: Layout, entry: str) -> None:
    files = {f"app/src/my_agent/{name}": text for name, text in PACKAGE.items()}
    state, tool = layout(files, "app app/src")(entry)
    assert state is tool
    assert state.__module__ == "my_agent.state"


@pytest.mark.parametrize("entry", ["./backend/my_agent/graph.py:graph", "my_agent.graph:graph"])
def test_a_dependency_folder_is_where_names_begin(layout: Layout, entry: str) -> None:
    files = {f"app/backend/my_agent/{name}": text for name, text in PACKAGE.items()}
    state, _ = layout(files, "app app/backend")(entry)
    assert state.__module__ == "my_agent.state"


def test_a_dependency_that_is_a_package_keeps_its_relative_imports(layout: Layout) -> None:
    files = {
        "app/my_agent/__init__.py": "",
        "app/my_agent/tools.py": "tool = 'a tool'",
        "app/my_agent/inner/graph.py": "from ..tools import tool\nimport tools\ngraph = tool",
    }
    imported = layout(files, "app app/my_agent")
    assert imported("./my_agent/inner/graph.py:graph") == "a tool"


def test_files_of_one_name_have_their_own_neighbours(layout: Layout) -> None:
    agent = "from .tools import tool\ngraph = tool"
    files = {f"app/{at}/agent.py": agent for at in ("a", "b", "c-d", "e f")} | {
        f"app/{at}/tools.py": f"tool = {at!r}" for at in ("a", "b", "c-d", "e f")
    }
    imported = layout(files, "app app/a app/b")
    for at in ("a", "b", "c-d", "e f"):
        assert imported(f"./{at}/agent.py:graph") == at


def test_files_outside_of_the_agent_folder(layout: Layout) -> None:
    files = {
        "app/agent.py": "graph = 'own'",
        "shared/agent.py": "from shared_tools import a\nfrom .more import b\ngraph = a + b",
        "shared/shared_tools.py": "a = 'shared'",
        "shared/more.py": "b = ' too'",
    }
    imported = layout(files, "app shared")
    assert imported("./agent.py:graph") == "own"
    assert imported("../shared/agent.py:graph") == "shared too"


@pytest.mark.parametrize(
    "name", ["my-agent.py", "my agent.py", "my.agent.py", "email.py", "höhe.py"]
)
def test_files_with_any_name(layout: Layout, name: str) -> None:
    imported = layout({f"app/{name}": "class State: pass\ngraph = State"})
    state = imported(f"./{name}:graph")
    assert sys.modules[state.__module__].State is state
    assert imported(f"./{name}:graph") is state


def test_neither_the_standard_library_nor_packages_are_hidden(layout: Layout) -> None:
    files = {
        "app/colorsys.py": "raise RuntimeError('not this one')",
        "app/pytest.py": "raise RuntimeError('nor this one')",
        "app/agent.py": "import colorsys, pytest\ngraph = (colorsys.ONE_THIRD, pytest.fixture)",
    }
    assert layout(files)("./agent.py:graph") == (1 / 3, pytest.fixture)


@pytest.mark.parametrize(
    ("entry", "kind", "words"),
    [
        ("not_there.graph:graph", ModuleNotFoundError, "there is no module 'not_there', neither"),
        ("my_agent.grpah:graph", ModuleNotFoundError, "there is no module 'my_agent.grpah'"),
        ("my_agent.broken:graph", ModuleNotFoundError, "^No module named 'no_such_package'$"),
        ("./my_agent/no.py:graph", FileNotFoundError, "there is no file ./my_agent/no.py"),
    ],
)
def test_what_cannot_be_imported(layout: Layout, entry: str, kind: type, words: str) -> None:
    files = {f"app/my_agent/{name}": text for name, text in PACKAGE.items()}
    files["app/my_agent/broken.py"] = "import no_such_package"
    with pytest.raises(kind, match=words):
        layout(files)(entry)


@pytest.mark.release  # a separate guest: only at its start can an agent's file hide another
@pytest.mark.parametrize(
    ("files", "agent"),
    [
        (
            dict.fromkeys(("queue", "logging", "random", "types", "grpc"), "raise RuntimeError"),
            "import logging\ndef graph(): return logging",
        ),
        (
            {"generate": "word = 'own'"},  # as a file beside the guest is called
            "from concurrent.futures import ProcessPoolExecutor\n"
            "from multiprocessing import get_context\n"
            "from generate import word\n"
            "with ProcessPoolExecutor(1, mp_context=get_context('spawn')) as pool:\n"
            "    assert pool.submit(str.upper, word).result(timeout=30) == 'OWN'\n"
            "def graph(): return word\n",
        ),
    ],
    ids=["the standard library's", "the guest's, and starts processes"],
)
def test_a_guest_starts_beside_files_of_the_same_names(
    folder: Path, host: MemoryHost, tmp_path: Path, files: dict[str, str], agent: str
) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "agent.py").write_text(agent)
    guest = GuestProcess(folder, host, {"a": "./agent.py:graph"}, source_dir=str(tmp_path))
    try:
        described = guest.describe("a")["a"]
        assert not described.HasField("error"), described.error.traceback
    finally:
        guest.close()
