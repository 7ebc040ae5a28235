"""Graphs with each kind of context schema; each returns what its node was given."""

from dataclasses import dataclass, field
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict


class Seen(TypedDict, total=False):
    context: Any
    kind: str
    shown: Any


class Typed(TypedDict, total=False):
    tone: str


@dataclass
class Defaulted:
    tone: str = "plain"
    n: int = 3
    tags: list[str] = field(default_factory=list)


@dataclass
class Demanding:
    tone: str


class Checked(BaseModel):
    model_config = ConfigDict(extra="forbid")
    tone: str = Field(default="plain", alias="theTone")
    n: int = 3


def reading(schema: Any) -> Any:
    def read(state: Seen, runtime: Runtime[Any], config: RunnableConfig) -> Seen:
        context = runtime.context
        shown = {
            name: config["configurable"][name]
            for name in ("tone", "theTone", "n", "odd", "checkpoint_id")
            if config["configurable"].get(name) is not None
        }
        values = vars(context) if hasattr(context, "__dict__") else context
        return {"context": values, "kind": type(context).__name__, "shown": shown}

    graph = StateGraph(Seen, context_schema=schema)
    graph.add_node("read", read)
    graph.add_edge(START, "read")
    return graph.compile()


none = reading(None)
typed = reading(Typed)
defaulted = reading(Defaulted)
demanding = reading(Demanding)
checked = reading(Checked)


def factory(config: RunnableConfig) -> Any:
    """Finds the context under `configurable`, as factories of before Runtime do."""
    return reading(Defaulted if config["configurable"].get("tone") else Typed)


outer = StateGraph(Seen, context_schema=Defaulted)
outer.add_node("inner", reading(Defaulted))
outer.add_edge(START, "inner")
outer = outer.compile()
