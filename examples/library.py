"""A very small library for the research agent. A real agent would ask a search engine here."""

import re

from typing_extensions import TypedDict


class Entry(TypedDict):
    source: str
    text: str


ENTRIES: dict[str, Entry] = {
    "durable": {
        "source": "Notes on durable execution",
        "text": "A durable run continues after a crash where its last saved step ended.",
    },
    "agents": {
        "source": "Agents, a short introduction",
        "text": "An agent is a program that decides step by step what to do next.",
    },
    "threads": {
        "source": "Handbook of conversations",
        "text": "A thread keeps what one conversation has led to.",
    },
    "graphs": {
        "source": "Graphs for beginners",
        "text": "A graph says which step may follow which.",
    },
}

NOTHING: Entry = {"source": "Catalogue", "text": "The library has nothing on this."}


def queries_for(question: str) -> list[str]:
    """The words of the question that the library knows, in order; else the question itself."""
    words = dict.fromkeys(re.findall(r"[a-z]+", question.lower()))
    return [word for word in words if word in ENTRIES] or [question]


def search(query: str) -> list[Entry]:
    """What the library has on a query. There is always an answer, if only that there is none."""
    return [ENTRIES.get(query, NOTHING)]
