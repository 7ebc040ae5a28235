"""Reaches the network while it is imported, and in its node."""

import httpx
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

_URL = "http://target.example/"
_AT_IMPORT = httpx.get(_URL).text


class State(TypedDict, total=False):
    found: list[str]


async def reach(_: State) -> State:
    async with httpx.AsyncClient() as client:
        return {"found": [_AT_IMPORT, (await client.get(_URL)).text]}


graph = StateGraph(State).add_node(reach).add_edge(START, "reach").compile()
