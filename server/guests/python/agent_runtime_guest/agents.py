"""The agents of the manifest: their modules are imported once, their graphs are made per run."""

import contextlib
import copy
import difflib
import importlib
import inspect
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .agent_import import import_entry
from .config import AgentEntry, GuestConfig
from .errors import ServiceError, error_message
from .factory import NEEDED, Access, Factory, Needed
from .served_versions import check as check_versions
from .served_versions import installed


@dataclass(frozen=True)
class Agent:
    """An imported agent, or the error that importing it ended with."""

    agent_id: str
    name: str = ""
    exported: Any = None
    error: Any = None

    @contextlib.asynccontextmanager
    async def graph(
        self, config: dict[str, Any], access: Access, *, store: Any = None, context: Any = None
    ) -> AsyncIterator[Any]:
        """The compiled graph; what a factory opened is closed afterwards."""
        if not isinstance(self.exported, Factory):
            yield self.exported
            return
        needed = Needed(config, access, store=store, context=context)
        async with self.exported.open(needed) as made:
            if not _is_graph(made):
                raise TypeError(f"{self.name} returned {_kind(made)}; {NEEDED}.")
            graph = _compiled(made, self.agent_id)
            _declare(graph)
            yield graph


def load_agent(entry: AgentEntry, config: GuestConfig) -> Agent:
    """Imports an agent. Never raises: a failure is in the result's `error`."""
    name = entry.path
    try:
        check_versions()
        _check_machinery()
        exported = _exported(entry.path, config)
        if _is_graph(exported):
            exported = _compiled(exported, entry.agent_id)
            _declare(exported)
        elif callable(exported):
            exported = Factory(exported, name)
        else:
            raise TypeError(f"{name} is {_kind(exported)}; {NEEDED}.")
        return Agent(entry.agent_id, name, exported=exported)
    except (Exception, SystemExit) as error:
        return Agent(entry.agent_id, name, error=error_message(error))


def _check_machinery() -> None:
    """Raises `agent_error` when this guest cannot work with the agent's LangGraph."""
    try:
        importlib.import_module(".invocation", __package__)
        importlib.import_module(".state_update", __package__)
    except Exception as error:
        release = f"langgraph {installed('langgraph') or 'of an unknown release'}"
        message = f"{release} cannot be used: {type(error).__name__}: {error}"
        raise ServiceError("agent_error", message) from error


def _declare(graph: Any) -> None:
    """Lets stored values become the types that the graph is declared with."""
    from .revivable_types import revivable

    revivable.add_graph(graph)


def _exported(path: str, config: GuestConfig) -> Any:
    module, variable = import_entry(path, config.source_dir, config.import_paths)
    try:
        return getattr(module, variable)
    except AttributeError:
        source = path.rpartition(":")[0]
        raise AttributeError(_no_such_variable(source, variable, module)) from None


def _is_graph(value: Any) -> bool:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    return isinstance(value, (Pregel, StateGraph))


def _compiled(graph: Any, agent_id: str) -> Any:
    """The graph, which has the agent's name unless it has its own name (LangGraph's rule)."""
    from langgraph.graph import StateGraph

    if isinstance(graph, StateGraph):
        graph = graph.compile()
    if graph.name != "LangGraph":
        return graph
    graph = copy.copy(graph)
    graph.name = agent_id
    return graph


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, ModuleType):
        return f"the module {value.__name__}"
    if inspect.iscoroutine(value):
        value.close()  # never awaited: Python would warn
        return "a coroutine (name the async function itself, without calling it)"
    if hasattr(value, "__aenter__") or hasattr(value, "__enter__"):
        return "an opened context manager (name the function that makes it, without calling it)"
    return f"a value of type {type(value).__name__}"


def _no_such_variable(source: str, variable: str, module: ModuleType) -> str:
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    graphs = [name for name, value in public.items() if _is_graph(value)]
    functions = [
        name
        for name, value in public.items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    ]
    meant = difflib.get_close_matches(variable, [*graphs, *functions], n=1) or graphs[:3]
    sentence = f"{source} has no variable {variable!r}"
    if meant:
        return f"{sentence}; did you mean {' or '.join(repr(name) for name in meant)}?"
    if functions:
        return f"{sentence}; its functions are {', '.join(functions[:10])}."
    return f"{sentence}, and no graph at all."
