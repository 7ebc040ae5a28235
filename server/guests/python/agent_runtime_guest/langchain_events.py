"""The stream of a graph together with LangChain's events of everything that runs in it."""

from collections.abc import AsyncIterator, Callable
from typing import Any


async def stream_with_events(
    graph: Any,
    start: Any,
    config: Any,
    how: dict[str, Any],
    on_event: Callable[[Any], None],
) -> AsyncIterator[Any]:
    """The items of astream(); every event but those that only repeat them goes to `on_event`."""
    root: str | None = None
    async for event in graph.astream_events(start, config, version="v2", **how):
        root = root or event["run_id"]
        if event["event"] == "on_chain_stream" and event["run_id"] == root:
            yield event["data"]["chunk"]
        elif "langsmith:hidden" not in event.get("tags", ()):
            on_event(event)
