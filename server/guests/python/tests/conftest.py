"""One host and one guest for all tests that do not end them."""

import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from .guest_process import GuestProcess
from .host import MemoryHost
from .trace_cases import AGENTS as TRACED

_SHAPES = (
    "counting own_saver make_graph make_with_config make_managed broken_factory narrow_output "
    "asking asking_twice failing failing_unusually exiting exiting_async chat custom "
    "parent asking_parent "
    "blocking_parent threaded_parent functional waiting blocking swallowing mixed talking "
    "long_lined growing fanning routed remembering forgetting "
    "remembering_parent widen_once stepping"
)
AGENTS = {name: f"./shapes.py:{name}" for name in _SHAPES.split()} | {
    "by_module": "shapes:own_saver",
    "context_reader": "./with_context.py:context_reader",
    "broken": "./broken.py:graph",
    "leaving": "./leaving.py:graph",
    "absent": "./absent.py:graph",
    "no_variable": "./shapes.py:nothing_like_it",
    "no_graph": "./shapes.py:first_message",
    "crashing": "./crashing.py:graph",
    "crashing_asker": "./crashing.py:asking",
    "crashing_memory": "./crashing.py:remembering",
    "protobuf": "./protobuf_version.py:graph",
    "delta": "./delta.py:graph",
    "delta_outer": "./delta.py:outer",
    "calling": "./calling.py:graph",
    "models": "./models.py:graph",
    "passing_model": "./models.py:passing",
    "made_model": "./models.py:factory",
    "daemon": "./daemons.py:graph",
    "calling_outer": "./calling.py:outer",
    "dripping": "./dripping.py:graph",
}
_EDITING = "parallel asking asking_twice failing sending nested branching"
_TRACED = "large oddities waiting"
_CLIENTS = "create from_thread stream first late elsewhere"
_CONTEXTS = "none typed defaulted demanding checked factory outer"
AGENTS |= {f"context_{name}": f"./contexts.py:{name}" for name in _CONTEXTS.split()}
AGENTS |= {f"client_{name}": f"./clients.py:{name}" for name in _CLIENTS.split()}
AGENTS |= {f"edit_{name}": f"./editing.py:{name}" for name in _EDITING.split()}
AGENTS |= TRACED | {f"traced_{name}": f"./tracing.py:{name}" for name in _TRACED.split()}


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """Short: a unix socket's path may have about 100 characters."""
    with tempfile.TemporaryDirectory(prefix="guest-") as path:
        yield Path(path)


@pytest.fixture(scope="session")
def host(folder: Path) -> Iterator[MemoryHost]:
    memory = MemoryHost(str(folder / "h.sock"))
    yield memory
    memory.close()


@pytest.fixture(scope="session")
def guest(folder: Path, host: MemoryHost) -> Iterator[GuestProcess]:
    process = GuestProcess(folder, host, AGENTS, max_message_bytes=1024 * 1024)
    yield process
    process.close()


@pytest.fixture
def thread_id() -> str:
    return str(uuid.uuid4())
