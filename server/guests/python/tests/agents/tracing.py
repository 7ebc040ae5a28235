"""Graphs that the tests of the mode `trace` run; js/test/agents/tracing.ts has the same."""

import asyncio
import operator
from typing import Annotated, Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, Send, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


def note(name: str) -> Any:
    def write(state: State) -> State:
        return {"log": [name]}

    return write


def graph_of(nodes: dict[str, Any], *edges: tuple[str, str]) -> StateGraph:
    builder = StateGraph(State)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for edge in edges:
        builder.add_edge(*edge)
    return builder


async def left(state: State) -> State:
    return {"log": ["left"]}


parallel = graph_of(
    {"left": left, "right": note("right"), "both": note("both")},
    (START, "left"),
    (START, "right"),
    ("left", "both"),
    ("right", "both"),
).compile()

inner = graph_of({"leaf": note("leaf")}, (START, "leaf")).compile()


async def invoke(state: State) -> State:
    found = await inner.ainvoke({"log": []})
    return {"log": ["invoked", *found["log"]]}


nested = graph_of(
    {"inside": inner, "invoke": invoke}, (START, "inside"), ("inside", "invoke")
).compile()


def sent(state: State) -> list[Send]:
    return [Send("work", {"n": n}) for n in (1, 2)]


def work(state: State) -> State:
    return {"log": [f"work {state['n']}"]}


sending = graph_of({"plan": note("plan"), "work": work}, (START, "plan"))
sending.add_conditional_edges("plan", sent, ["work"])
sending = sending.compile()


def model(text: str) -> Any:
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    usage["input_token_details"] = {"cache_read": 1}
    message = AIMessage(content=text, usage_metadata=usage)
    found = GenericFakeChatModel(messages=iter([message]))
    return found.with_config(run_name="model", metadata={"ls_model_name": "fake-1"})


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    if city == "nowhere":
        raise ValueError("no such city")
    answer = await RunnableLambda(lambda text: model("sunny").invoke(text)).ainvoke(city)
    return f"{answer.content} in {city}" + "!" * (200_000 if city == "far" else 0)


async def ask(state: State) -> State:
    answer = await model("look it up").ainvoke("Bern?")
    return {"log": [answer.content]}


async def stream(state: State) -> State:
    parts = [part.content async for part in model("word by word").astream("Bern?")]
    return {"log": ["".join(parts)]}


async def look(state: State) -> State:
    return {"log": [await weather.ainvoke({"city": "Bern"})]}


async def miss(state: State) -> State:
    try:
        await weather.ainvoke({"city": "nowhere"})
    except ValueError as error:
        return {"log": [str(error)]}


calling = graph_of(
    {"ask": ask, "stream": stream, "look": look, "miss": miss},
    (START, "ask"),
    ("ask", "stream"),
    ("stream", "look"),
    ("look", "miss"),
).compile()


async def look_far(state: State) -> State:
    found = await weather.ainvoke({"city": "far"})
    return {"log": [found]}


large = graph_of({"look": look_far}, (START, "look")).compile()


def question(state: State) -> State:
    return {"log": [interrupt("which way?")]}


asking = graph_of({"ask": question}, (START, "ask")).compile()
asking_below = graph_of({"inside": asking}, (START, "inside")).compile()


def fail(state: State) -> State:
    raise ValueError("no such city")


failing = graph_of({"fail": fail}, (START, "fail")).compile()

tries: list[int] = []


def unsure(state: State) -> State:
    tries.append(1)
    if len(tries) % 3 != 0:
        raise ConnectionError("not yet")
    return {"log": ["at last"]}


retrying = StateGraph(State)
policy = RetryPolicy(initial_interval=0.001, max_attempts=3, jitter=False)
retrying.add_node("unsure", unsure, retry_policy=policy)
retrying.add_edge(START, "unsure")
retrying = retrying.compile()


def leave(state: State) -> Command:
    return Command(graph=Command.PARENT, update={"log": ["left early"]}, goto="after")


handing_over = graph_of(
    {
        "inside": graph_of({"leave": leave}, (START, "leave")).compile(),
        "after": note("after"),
    },
    (START, "inside"),
).compile()


@task
async def double(n: int) -> int:
    return n * 2


@task
def describe(n: int) -> str:
    return model(f"it is {n}").invoke("what?").content


@entrypoint()
async def functional(given: dict[str, int]) -> str:
    return await describe(await double(given["n"]))


async def wait(state: State) -> State:
    print("waiting", flush=True)
    await asyncio.sleep(60)
    return {"log": ["late"]}


waiting = graph_of({"wait": wait}, (START, "wait")).compile()


class Odd:
    """A value that fails whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    def model_dump(self) -> Any:
        raise RuntimeError("no data")


class OddError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@tool
def odd_value() -> Any:
    """An odd one."""
    loop: dict[Any, Any] = {1: Odd(), "text": "\ud800", "number": float("nan"), "big": 10**30}
    loop["self"] = loop
    return loop


@tool
def odd_failure() -> Any:
    """An odd one."""
    raise OddError(Odd())


async def odd(state: State) -> State:
    await odd_value.ainvoke({})
    try:
        odd_failure.invoke({})
    except OddError:
        return {"log": ["odd"]}


oddities = graph_of({"odd": odd}, (START, "odd")).compile()
