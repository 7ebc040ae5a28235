"""What agents made of LangGraph's parts leave on a thread with every run.

A supervisor hands over to two sub-graphs: a researcher, whose own conversation is 20 kB that cannot
be compressed and new in every run, and a bookkeeper with its own memory, which counts.
"""

from base64 import b64encode
from random import Random
from typing import Annotated

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
    trim_messages,
)
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command
from scripted_model import Scripted
from typing_extensions import TypedDict

KEPT_MESSAGES = 40
FOUND_BYTES = 15_000
"""20 kB in base64."""


class Research(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    notes: Annotated[list[AnyMessage], add_messages]
    """The researcher's own conversation, which the supervisor does not see."""


class Report(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@tool
def look_up(topic: str) -> str:
    """Finds what cannot be compressed."""
    return b64encode(Random(topic).randbytes(FOUND_BYTES)).decode()


def researcher() -> CompiledStateGraph:
    model = Scripted(calls=["look_up"])

    async def think(state: Research) -> Research:
        question = [one for one in state["messages"] if isinstance(one, HumanMessage)][-1]
        return {"notes": [await model.ainvoke([question, *state.get("notes", [])])]}

    def report(state: Research) -> Report:
        return {"messages": [AIMessage(state["notes"][-1].content, name="researcher")]}

    def is_tool_called(state: Research) -> str:
        return tools_condition(state, messages_key="notes")

    return (
        StateGraph(Research, output_schema=Report)
        .add_node("think", think)
        .add_node("tools", ToolNode([look_up], messages_key="notes"))
        .add_node("report", report)
        .add_edge(START, "think")
        .add_conditional_edges("think", is_tool_called, {"tools": "tools", END: "report"})
        .add_edge("tools", "think")
        .add_edge("report", END)
        .compile()
    )


class Books(TypedDict, total=False):
    entries: int
    """Only the bookkeeper's own memory has it."""
    seen: int


class Booked(TypedDict):
    seen: int


def bookkeeper() -> CompiledStateGraph:
    def book(state: Books) -> Books:
        entries = state.get("entries", 0) + 1
        return {"entries": entries, "seen": entries}

    return (
        StateGraph(Books, output_schema=Booked)
        .add_node("book", book)
        .add_edge(START, "book")
        .add_edge("book", END)
        .compile(checkpointer=True)
    )


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    count: int
    """Runs that have come to their end."""
    seen: int
    """What the bookkeeper has counted."""


def hands_over_to(worker: str) -> BaseTool:
    @tool(f"ask_{worker}", description=f"Hands over to the {worker}.")
    def ask(topic: str, call_id: Annotated[str, InjectedToolCallId]) -> Command:
        note = ToolMessage(f"{worker} is asked: {topic}", tool_call_id=call_id)
        return Command(goto=worker, update={"messages": [note]})

    return ask


def supervisor(*, trims: bool) -> CompiledStateGraph:
    workers = {"researcher": researcher(), "bookkeeper": bookkeeper()}
    model = Scripted(calls=[f"ask_{worker}" for worker in workers])

    async def supervise(state: State) -> State:
        return {"messages": [await model.ainvoke(state["messages"])]}

    def conclude(state: State) -> State:
        count = state.get("count", 0) + 1
        if not trims:
            return {"count": count}
        kept = trim_messages(
            state["messages"],
            max_tokens=KEPT_MESSAGES,
            token_counter=len,
            strategy="last",
            start_on="human",
        )
        gone = state["messages"][: -len(kept)]
        return {"count": count, "messages": [RemoveMessage(id=str(one.id)) for one in gone]}

    builder = (
        StateGraph(State)
        .add_node("supervise", supervise)
        .add_node("tools", ToolNode([hands_over_to(worker) for worker in workers]))
        .add_node("conclude", conclude)
        .add_edge(START, "supervise")
        .add_conditional_edges("supervise", tools_condition, {"tools": "tools", END: "conclude"})
        .add_edge("conclude", END)
    )
    for name, worker in workers.items():
        builder.add_node(name, worker).add_edge(name, "supervise")
    return builder.compile()


graph = supervisor(trims=True)
growing = supervisor(trims=False)
