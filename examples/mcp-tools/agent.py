"""Counts words with a tool of an MCP server, which it starts in its own sandbox."""

import os
import sys
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

# It is in the image of --mcp-tools-image, whose `bin` is on the PATH.
SERVER = StdioServerParameters(command="word-count-mcp", env={"PATH": os.environ["PATH"]})


class State(TypedDict, total=False):
    """The text that comes in, and how many words it has."""

    text: str
    words: int


async def count(state: State) -> State:
    """Starts the server for this one call; it ends with it."""
    async with (
        stdio_client(SERVER, errlog=sys.__stderr__) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        result = await session.call_tool("count_words", {"text": state.get("text", "")})
    [content] = result.content
    assert isinstance(content, TextContent)
    return {"words": int(content.text)}


builder = StateGraph(State)
builder.add_node("count", count)
builder.add_edge(START, "count")
builder.add_edge("count", END)
graph = builder.compile()
