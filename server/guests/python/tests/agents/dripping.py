"""A tool that streams its output, called for a message on the event loop and in a thread."""

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, ToolRuntime


@tool
def drip(count: int, runtime: ToolRuntime) -> str:
    """Streams numbers."""
    for number in range(count):
        runtime.emit_output_delta({"number": number})
    return "done"


@tool
def nested(runtime: ToolRuntime) -> str:
    """Calls a tool before it streams."""
    unseen.invoke({})
    runtime.emit_output_delta("after it")
    return "done"


@tool
def unseen() -> str:
    """Streams nothing."""
    return "done"


@tool
async def pour(runtime: ToolRuntime) -> str:
    """Streams a text."""
    runtime.emit_output_delta("all")
    return "done"


def ask(state: MessagesState) -> dict:
    calls = [
        {"name": "drip", "args": {"count": 2}, "id": "c1"},
        {"name": "pour", "args": {}, "id": "c2"},
        {"name": "nested", "args": {}, "id": "c3"},
    ]
    return {"messages": [AIMessage("", tool_calls=calls)]}


graph = StateGraph(MessagesState)
graph.add_node("ask", ask)
graph.add_node("tools", ToolNode([drip, pour, nested]))
graph.add_edge(START, "ask")
graph.add_edge("ask", "tools")
graph = graph.compile()
