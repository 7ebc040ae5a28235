"""LangGraph's config for code that asks for it, under Python 3.10 too."""

import sys
from typing import Any

from .langgraph_library import runnable_callable


def provide_config_to_nodes() -> None:
    """Lets interrupt(), get_stream_writer() and sub-graphs find their config in async runs.

    LangGraph hands it on through the context of a task, which asyncio takes from Python 3.11 on
    only. All runs here are async, so under 3.10 a graph that works with invoke() would fail; each
    node has its own task, whose context can as well be set from within.
    """
    if sys.version_info >= (3, 11):
        return
    from langchain_core.runnables.config import var_child_runnable_config

    kind = runnable_callable()
    without_context = kind.ainvoke

    async def ainvoke(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
        before = var_child_runnable_config.set(config)
        try:
            return await without_context(self, input, config, **kwargs)
        finally:
            var_child_runnable_config.reset(before)

    kind.ainvoke = ainvoke
