"""The agents of the manifest: their modules are imported once, their graphs are made per run."""

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .config import AgentEntry
from .errors import error_message


@dataclass(frozen=True)
class Agent:
    """An imported agent, or the error that importing it ended with."""

    agent_id: str
    exported: Any = None
    error: Any = None

    @contextlib.asynccontextmanager
    async def graph(self, config: dict[str, Any]) -> AsyncIterator[Any]:
        """The compiled graph for one run; what a factory opened is closed afterwards."""
        made = self.exported
        if not _is_graph(made):
            made = made(config) if _takes_config(made) else made()
            if inspect.isawaitable(made):
                made = await made
        async with contextlib.AsyncExitStack() as stack:
            if not _is_graph(made):
                if hasattr(made, "__aenter__"):
                    made = await stack.enter_async_context(made)
                elif hasattr(made, "__enter__"):
                    made = stack.enter_context(made)
            yield _compiled(made, self.agent_id)


def load_agent(entry: AgentEntry, source_dir: str) -> Agent:
    """Imports an agent. Never raises: what goes wrong is in the answer's `error`."""
    try:
        exported = _exported(entry.path, source_dir)
        if _is_graph(exported):
            exported = _compiled(exported, entry.agent_id)
        elif not callable(exported):
            raise TypeError(_wrong_kind(exported, entry.agent_id))
        return Agent(entry.agent_id, exported=exported)
    except (Exception, SystemExit) as error:
        return Agent(entry.agent_id, error=error_message(error))


def _exported(path: str, source_dir: str) -> Any:
    place, separator, variable = path.rpartition(":")
    if not separator or not place or not variable:
        raise ValueError(f"{path!r} is not of the form file.py:variable or module:variable")
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    module = _import_file(place, source_dir) if is_file else importlib.import_module(place)
    try:
        return getattr(module, variable)
    except AttributeError:
        raise AttributeError(f"{place} has no variable {variable!r}") from None


def _import_file(place: str, source_dir: str) -> ModuleType:
    root = Path(source_dir).resolve()
    file = (root / place).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {place}")
    # Under its natural name where possible, so that agents of one file share one module, relative
    # imports work, and stored objects find their class again after a restart.
    if file.is_relative_to(root):
        parts = file.relative_to(root).with_suffix("").parts
        name = ".".join(parts)
        if all(part.isidentifier() for part in parts) and _is_free(name, file):
            return importlib.import_module(name)
    digest = hashlib.sha256(place.encode()).hexdigest()[:8]
    name = f"agent_{digest}_{file.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_free(name: str, file: Path) -> bool:
    """Whether importing this name gives this file, without importing it."""
    if (known := sys.modules.get(name)) is not None:
        return getattr(known, "__file__", None) == str(file)
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return False  # a parent of that name is something else
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file


def _is_graph(value: Any) -> bool:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    return isinstance(value, (Pregel, StateGraph))


def _compiled(value: Any, agent_id: str) -> Any:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    if isinstance(value, StateGraph):
        return value.compile()
    if isinstance(value, Pregel):
        return value
    raise TypeError(_wrong_kind(value, agent_id))


def _wrong_kind(value: Any, agent_id: str) -> str:
    return (
        f"agent {agent_id!r} is a {type(value).__name__}; "
        "a compiled graph, a StateGraph or a function that makes one is needed"
    )


def _takes_config(factory: Any) -> bool:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(p.kind in positional for p in parameters)
