"""A research agent: plans, looks things up with a tool, one query after the other, writes a report.

It reports its progress with custom events, and every step is saved: a run that is killed half-way
continues with the query it was at. `delay` makes the look-ups take their time, so that there is
something to cancel or to kill.
"""

import asyncio
from typing import Literal

from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import library


class Finding(TypedDict):
    query: str
    source: str
    text: str


class Research(TypedDict, total=False):
    question: str
    delay: float
    queries: list[str]
    done: int
    findings: list[Finding]
    report: str


class Report(TypedDict, total=False):
    report: str
    findings: list[Finding]


@tool
async def look_up(query: str, delay: float = 0) -> list[library.Entry]:
    """Finds what the library has on a query."""
    await asyncio.sleep(delay)
    return library.search(query)


def plan(state: Research) -> Research:
    """Breaks the question into queries."""
    queries = library.queries_for(state["question"])
    get_stream_writer()({"step": "plan", "queries": queries})
    return {"queries": queries, "done": 0, "findings": []}


async def search(state: Research) -> Research:
    """Looks up the next query."""
    query, number = state["queries"][state["done"]], state["done"] + 1
    write = get_stream_writer()
    write({"step": "search", "query": query, "number": number, "of": len(state["queries"])})
    entries = await look_up.ainvoke({"query": query, "delay": state.get("delay", 0)})
    found: list[Finding] = [{"query": query, **entry} for entry in entries]
    write({"step": "found", "query": query, "sources": [finding["source"] for finding in found]})
    return {"done": number, "findings": [*state["findings"], *found]}


def is_more_to_do(state: Research) -> Literal["search", "write"]:
    return "search" if state["done"] < len(state["queries"]) else "write"


def write(state: Research) -> Research:
    """Writes down what was found, with its sources."""
    lines = [f"{finding['text']} [{finding['source']}]" for finding in state["findings"]]
    get_stream_writer()({"step": "write", "findings": len(lines)})
    return {"report": "\n".join([f"# {state['question']}", *lines])}


graph = (
    StateGraph(Research, output_schema=Report)
    .add_node("plan", plan)
    .add_node("search", search)
    .add_node("write", write)
    .add_edge(START, "plan")
    .add_edge("plan", "search")
    .add_conditional_edges("search", is_more_to_do)
    .add_edge("write", END)
    .compile()
)
