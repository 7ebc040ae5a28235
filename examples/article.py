"""An agent within an agent: a sub-graph writes a section, the outer graph runs it for each heading.

The sections are written at the same time. Each has its own namespace ("section:<id>") in
streams and checkpoints.
"""

import operator
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict


class SectionState(TypedDict, total=False):
    topic: str
    heading: str
    draft: str
    text: str


class ArticleState(TypedDict, total=False):
    topic: str
    headings: list[str]
    sections: Annotated[list[str], operator.add]
    article: str


def draft(state: SectionState) -> SectionState:
    """A first version."""
    return {"draft": f"{state['heading'].lower()} of {state['topic']}"}


def polish(state: SectionState) -> SectionState:
    """The version that goes into the article."""
    return {"text": f"## {state['heading']}\nThis is about the {state['draft']}."}


section = (
    StateGraph(SectionState)
    .add_node("draft", draft)
    .add_node("polish", polish)
    .add_edge(START, "draft")
    .add_edge("draft", "polish")
    .add_edge("polish", END)
    .compile()
)


def outline(state: ArticleState) -> ArticleState:
    """Which sections there will be."""
    return {"headings": ["Origins", "Uses", "Future"]}


def share_out(state: ArticleState) -> list[Send]:
    """One task for every heading."""
    return [
        Send("section", {"topic": state["topic"], "heading": heading})
        for heading in state["headings"]
    ]


async def write_section(task: SectionState) -> ArticleState:
    """Lets the sub-graph do the work."""
    written = await section.ainvoke(task)
    return {"sections": [written["text"]]}


def assemble(state: ArticleState) -> ArticleState:
    """Puts the sections together, in the order of the outline."""
    # The thread keeps the sections of earlier runs before those of this one.
    sections = state["sections"][-len(state["headings"]) :]
    return {"article": "\n\n".join([f"# {state['topic'].capitalize()}", *sections])}


graph = (
    StateGraph(ArticleState)
    .add_node("outline", outline)
    .add_node("section", write_section)
    .add_node("assemble", assemble)
    .add_edge(START, "outline")
    .add_conditional_edges("outline", share_out, ["section"])
    .add_edge("section", "assemble")
    .add_edge("assemble", END)
    .compile()
)
