"""A graph with a context: LangGraph 0.6 or newer."""

from dataclasses import dataclass

from langgraph.runtime import Runtime
from shapes import Count, chain


@dataclass
class Settings:
    tone: str = "plain"


def read_context(state: Count, runtime: Runtime[Settings]) -> Count:
    return {"log": [runtime.context.tone if runtime.context else "none"]}


context_reader = chain(read_context, context_schema=Settings).compile()
