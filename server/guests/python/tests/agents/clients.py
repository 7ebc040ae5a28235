"""Agents that call the service through clients without a URL."""

import asyncio
import threading
from typing import Any

from langgraph.graph import StateGraph
from langgraph.types import StreamWriter
from langgraph_sdk import get_client
from typing_extensions import TypedDict

# Made before there is a run, as templates do it.
client = get_client()


class State(TypedDict, total=False):
    thread: str
    found: Any


def _graph(node: Any) -> Any:
    graph = StateGraph(State).add_node("node", node)
    return graph.add_edge("__start__", "node").compile()


async def _create(state: State) -> State:
    run = await client.runs.create(state["thread"], "other", input={"ü": 1})
    return {"found": run}


def _from_thread(state: State) -> State:
    # A sync node has no event loop; many make one.
    return {"found": asyncio.run(get_client().threads.get(state["thread"]))}


async def _stream(state: State, writer: StreamWriter) -> State:
    found = []
    async for part in client.runs.stream(state["thread"], "other"):
        writer(part.data)
        found.append(part.event)
    return {"found": found}


async def _first(state: State) -> State:
    async for part in client.runs.stream(state["thread"], "other"):
        return {"found": part.data}
    return {}


async def _late(state: State) -> State:
    """Does what is refused when the run has ended, and prints the error."""

    async def ask() -> None:
        await asyncio.sleep(0)
        while True:
            try:
                await client.threads.get(state["thread"])
            except Exception as error:
                print(type(error).__name__, error)
                return

    _kept.append(asyncio.create_task(ask()))
    return {}


_kept: list[Any] = []


def _elsewhere(state: State) -> State:
    found = []

    def ask() -> None:
        try:
            asyncio.run(client.threads.get(state["thread"]))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return {"found": found}


create, from_thread, stream = _graph(_create), _graph(_from_thread), _graph(_stream)
first, late, elsewhere = _graph(_first), _graph(_late), _graph(_elsewhere)
