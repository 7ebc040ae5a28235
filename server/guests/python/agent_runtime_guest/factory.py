"""Functions that make graphs: what they take, and what is taken from them.

The forms and their arguments are those of LangGraph's server: a factory takes nothing, a config, a
runtime (known by its annotation), or both; it is a function, an async function or a (decorated)
context manager.
"""

import contextlib
import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Literal

from .runtime import FactoryRuntime, is_runtime, runtime_names

# What the graph is needed for, in the words of langgraph_sdk's ServerRuntime.
Access = Literal["threads.create_run", "threads.update", "threads.read", "assistants.read"]

NEEDED = "a compiled graph, a StateGraph, an @entrypoint or a function that makes one is needed"
_TAKES = (
    "a factory takes nothing, a config (RunnableConfig), a runtime (annotated as ServerRuntime), "
    "or both"
)
_OPENS = ("__aenter__", "__enter__")


@dataclass(frozen=True)
class Needed:
    """Why a graph is needed: with which config, store and context, and for what."""

    config: dict[str, Any]
    access: Access
    store: Any = None
    context: Any = None


class Factory:
    """A function of an agent that makes its graph anew each time."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        """Raises TypeError when the function cannot be a factory; it is not called for that."""
        _refuse_other_callables(function, name)
        self._function = function
        self._arguments = _arguments_of(function, name)

    @contextlib.asynccontextmanager
    async def open(self, needed: Needed) -> AsyncIterator[Any]:
        """What the function made; what it opened is closed afterwards."""
        made = await self._call(needed)
        async with contextlib.AsyncExitStack() as stack:
            if hasattr(made, "__aenter__"):
                made = await stack.enter_async_context(made)
            elif hasattr(made, "__enter__"):
                made = stack.enter_context(made)
            yield made

    async def _call(self, needed: Needed) -> Any:
        from langchain_core.runnables.config import ensure_config, var_child_runnable_config

        runtime = FactoryRuntime(
            is_run=needed.access == "threads.create_run",
            access_context=needed.access,
            user=needed.config.get("configurable", {}).get("langgraph_auth_user"),
            store=needed.store,
            context=needed.context,
        )
        config = ensure_config(needed.config)  # type: ignore[arg-type]
        config["configurable"]["__is_for_execution__"] = runtime.is_run
        # For get_config() and get_store() within the factory; a run has its own afterwards.
        before = var_child_runnable_config.set(runtime.in_config(config))
        try:
            positional, by_name = self._arguments(config, runtime)
            made = self._function(*positional, **by_name)
            return await made if inspect.isawaitable(made) else made
        finally:
            var_child_runnable_config.reset(before)


def _refuse_other_callables(value: Any, name: str) -> None:
    if inspect.isgeneratorfunction(value):
        raise TypeError(
            f"{name} is a generator function; decorate it with contextlib's @contextmanager."
        )
    if inspect.isasyncgenfunction(value):
        raise TypeError(
            f"{name} is an async generator function; decorate it with contextlib's "
            "@asynccontextmanager."
        )
    if type(value).__name__ == "_TaskFunction":
        raise TypeError(f"{name} is a @task of LangGraph; an @entrypoint is a graph.")
    if inspect.isclass(value) and not _may_make_graphs(value):
        raise TypeError(f"{name} is the class {value.__name__}; {NEEDED}.")


def _may_make_graphs(kind: type) -> bool:
    from langgraph.graph import StateGraph
    from langgraph.pregel import Pregel

    if issubclass(kind, (Pregel, StateGraph)):
        return True
    makes_others = "__new__" in vars(kind) and not issubclass(kind, dict)
    return makes_others or any(hasattr(kind, method) for method in (*_OPENS, "__await__"))


def _arguments_of(
    function: Callable[..., Any], name: str
) -> Callable[[Any, FactoryRuntime], tuple[list[Any], dict[str, Any]]]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C, for instance
        return lambda config, runtime: ([], {})
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = [p for p in signature.parameters.values() if p.kind not in variadic]
    annotations = {p.name: _annotation_of(p, function) for p in parameters}
    runtimes = [name for name, annotation in annotations.items() if is_runtime(annotation)]
    if len(parameters) > 2 or len(parameters) - len(runtimes) > 1 or len(runtimes) > 1:
        names = ", ".join(p.name for p in parameters)
        raise TypeError(f"{name} takes {names}; {_TAKES}.")

    def arguments(config: Any, runtime: FactoryRuntime) -> tuple[list[Any], dict[str, Any]]:
        positional, by_name = [], {}
        for p in parameters:
            is_config = p.name not in runtimes
            value = config if is_config else runtime.for_annotation(annotations[p.name])
            if p.kind is inspect.Parameter.KEYWORD_ONLY:
                by_name[p.name] = value
            else:
                positional.append(value)
        return positional, by_name

    return arguments


def _annotation_of(parameter: inspect.Parameter, function: Any) -> Any:
    """The annotation as a type, also one written as text under `if TYPE_CHECKING`."""
    text = parameter.annotation
    if not isinstance(text, str):
        return text
    code: Any = inspect.unwrap(function)
    code = code.__init__ if inspect.isclass(code) else getattr(code, "func", code)
    names = getattr(getattr(code, "__func__", code), "__globals__", {})
    try:
        return eval(text, {**runtime_names(text), **names})  # as Python itself would, later
    except Exception:  # a name that exists for type checkers only
        return None
