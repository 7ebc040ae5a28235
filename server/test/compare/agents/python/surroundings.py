"""What a graph is given: a writer of streams, a store, a context, a config, a past."""

import asyncio
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store, get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import CachePolicy, RetryPolicy
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    text: str
    seen: list[str]
    items: list[Any]


def write(state: State) -> State:
    writer = get_stream_writer()
    writer({"progress": 1})
    writer("half of it")
    writer([1, 2, None])
    return {"text": "written"}


async def write_async(state: State) -> State:
    writer = get_stream_writer()
    for number in range(3):
        writer({"number": number})
        await asyncio.sleep(0)
    return {"text": "written again"}


custom_stream = (
    StateGraph(State)
    .add_node(write)
    .add_node(write_async)
    .add_edge(START, "write")
    .add_edge("write", "write_async")
    .compile()
)


def keep(state: State, config: RunnableConfig) -> State:
    store = get_store()
    space = ("notes", config["configurable"]["thread_id"])
    store.put(space, "one", {"text": state["text"]})
    store.put(space, "two", {"text": "another"})
    found = store.search(space, filter={"text": "another"})
    got = store.get(space, "one")
    store.delete(space, "two")
    return {"items": [item.value for item in found] + [got.value if got else None]}


store = StateGraph(State).add_node(keep).add_edge(START, "keep").compile()


@dataclass
class Context:
    """The context of a run."""

    name: str = "unnamed"
    depth: int = 1


def greet(state: State, runtime: Runtime[Context]) -> State:
    return {"text": f"{runtime.context.name} {runtime.context.depth}"}


context = (
    StateGraph(State, context_schema=Context).add_node(greet).add_edge(START, "greet").compile()
)


def make(config: RunnableConfig) -> Any:
    """A graph that depends on the config."""
    name = config.get("configurable", {}).get("node_name", "plain")
    return (
        StateGraph(State)
        .add_node(name, lambda _: {"text": f"by {name}"})
        .add_edge(START, name)
        .compile()
    )


@task
def double(number: int) -> int:
    return number * 2


@entrypoint()
def functional(given: dict, *, previous: Any = None) -> dict:
    total = sum(double(number).result() for number in given["numbers"])
    return {"total": total + (previous or {}).get("total", 0)}


@entrypoint()
async def functional_text(text: str) -> str:
    return text.upper()


attempts: dict[str, int] = {}


def unsteady(state: State, config: RunnableConfig) -> State:
    key = config["configurable"]["thread_id"]
    attempts[key] = attempts.get(key, 0) + 1
    if attempts[key] % 3 != 0:
        raise ConnectionError("not yet")
    return {"text": "at the third try"}


retries = (
    StateGraph(State)
    .add_node(
        "unsteady",
        unsteady,
        retry_policy=RetryPolicy(initial_interval=0.01, jitter=False, max_attempts=3),
    )
    .add_node("cached", lambda _: {"seen": ["x"]}, cache_policy=CachePolicy())
    .add_edge(START, "unsteady")
    .add_edge("unsteady", "cached")
    .compile()
)


class Refused(Exception):
    """An error of the agent's own."""


def fail(state: State) -> State:
    if state["text"] == "loop":
        return {"seen": ["again"]}
    raise Refused(f"refused: {state['text']}")


failing = (
    StateGraph(State)
    .add_node("before", lambda _: {"seen": ["before"]})
    .add_node("fail", fail)
    .add_edge(START, "before")
    .add_edge("before", "fail")
    .add_edge("fail", "before")
    .compile()
)


async def wait(state: State) -> State:
    await asyncio.sleep(float(state.get("text", "0")))
    return {"seen": ["waited"]}


slow = StateGraph(State).add_node(wait).add_edge(START, "wait").compile()
