"""What a factory may ask for beside its config: a ServerRuntime or langgraph's Runtime."""

import contextlib
import copy
import importlib
import sys
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from .errors import ServiceError


def is_runtime(annotation: Any) -> bool:
    """Whether an annotation, also `ServerRuntime[X]` or `Annotated[...]`, asks for a runtime."""
    return _kind_of(annotation) is not None


def runtime_names(text: str) -> dict[str, Any]:
    """The names in an annotation that may be imported for type checkers only."""
    names: dict[str, Any] = {"RunnableConfig": dict}
    if "Runtime" not in text:
        return names
    for module, name in (
        ("langgraph_sdk.runtime", "ServerRuntime"),
        ("langgraph.runtime", "Runtime"),
    ):
        with contextlib.suppress(ImportError):  # an older release
            names[name] = getattr(importlib.import_module(module), name)
    return names


@dataclass(frozen=True)
class FactoryRuntime:
    """What is known where a factory is called; made into the type that it asks for."""

    is_run: bool
    access_context: str
    user: Any = None
    store: Any = None
    context: Any = None

    def for_annotation(self, annotation: Any) -> Any:
        """The runtime that the annotation names."""
        return self.server_runtime() if _kind_of(annotation) == "server" else self.graph_runtime()

    def server_runtime(self) -> Any:
        """langgraph_sdk's ServerRuntime: with a context where a run begins, without elsewhere."""
        from langgraph_sdk import runtime as sdk

        common = {
            "access_context": self.access_context,
            "user": self.user,
            # Its type promises one.
            "store": _no_store(self.is_run) if self.store is None else self.store,
        }
        # The two have no public names; their alias ServerRuntime cannot be called.
        if not self.is_run:
            return sdk._ReadRuntime(**common)
        return sdk._ExecutionRuntime(**common, context=copy.copy(self.context))

    def graph_runtime(self) -> Any:
        """langgraph's Runtime."""
        from langgraph.runtime import Runtime

        return Runtime(context=self.context if self.is_run else None, store=self.store)

    def in_config(self, config: Any) -> Any:
        """The config with what get_store() and get_runtime() look for."""
        try:
            found = {"__pregel_runtime": self.graph_runtime()}
        except ImportError:  # before langgraph 0.6
            found = {} if self.store is None else {"__pregel_store": self.store}
        return {**config, "configurable": {**config["configurable"], **found}}


def _no_store(is_run: bool) -> Any:
    """A store that raises why there is none as soon as it is used."""
    from langgraph.store.base import BaseStore

    why = (
        ServiceError("store_disabled", "The store is switched off.")
        if is_run
        else ServiceError(
            "store_unavailable",
            "A factory has no store while its agent is described (assistants.read).",
        )
    )

    class NoStore(BaseStore):
        def batch(self, ops: Any) -> Any:
            raise why

        async def abatch(self, ops: Any) -> Any:
            raise why

    return NoStore()


def _kind_of(annotation: Any) -> str | None:
    # A module that is not imported cannot be in an annotation.
    sdk, langgraph = sys.modules.get("langgraph_sdk.runtime"), sys.modules.get("langgraph.runtime")
    origin = get_origin(annotation)
    candidates = [annotation, origin, *(get_args(annotation)[:1] if origin is not None else ())]
    for candidate in candidates:
        if sdk is not None and candidate is sdk.ServerRuntime:
            return "server"
        if not isinstance(candidate, type):
            continue
        if sdk is not None and issubclass(candidate, (sdk._ExecutionRuntime, sdk._ReadRuntime)):
            return "server"
        if langgraph is not None and issubclass(candidate, langgraph.Runtime):
            return "graph"
    return None
