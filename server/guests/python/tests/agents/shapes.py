"""Graphs of every shape the guest has to run."""

import asyncio
import logging
import operator
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.store.base import BaseStore
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Count(TypedDict, total=False):
    n: int
    log: Annotated[list[str], operator.add]


def chain(*nodes: Any, state: Any = Count, **schemas: Any) -> StateGraph:
    builder = StateGraph(state, **schemas)
    previous = START
    for node in nodes:
        name = node.__name__
        builder.add_node(name, node)
        builder.add_edge(previous, name)
        previous = name
    builder.add_edge(previous, END)
    return builder


def one(state: Count) -> Count:
    return {"n": state.get("n", 0) + 1, "log": ["one"]}


async def two(state: Count) -> Count:
    return {"n": state["n"] * 10, "log": ["two"]}


counting = chain(one, two)  # left uncompiled: the guest compiles it
own_saver = chain(one, two).compile(checkpointer=InMemorySaver())


def make_graph():
    return chain(one).compile()


async def make_with_config(config: dict) -> Any:
    named = config["configurable"].get("word", "none")

    def say(state: Count) -> Count:
        return {"n": 0, "log": [named]}

    return chain(say).compile()


opened: list[str] = []


@asynccontextmanager
async def make_managed(config: dict):
    opened.append("open")

    def leave(state: Count) -> Count:
        return {"n": len(opened), "log": list(opened)}

    try:
        yield chain(leave)
    finally:
        opened.append("closed")


def broken_factory():
    raise LookupError("no graph today")


class Narrow(TypedDict):
    n: int


def widen(state: Count) -> Count:
    return {"n": 5, "log": ["hidden"]}


narrow_output = chain(widen, output_schema=Narrow).compile()


def ask(state: Count) -> Count:
    answer = interrupt({"question": "how many?"})
    return {"n": answer, "log": ["answered"]}


asking = chain(ask).compile()


def ask_twice(state: Count) -> Count:
    first = interrupt("first?")
    second = interrupt("second?")
    return {"n": 0, "log": [f"{first}-{second}"]}


asking_twice = chain(ask_twice).compile()


def fail(state: Count) -> Count:
    raise KeyError("missing thing")


failing = chain(one, fail).compile()


def leave_process(state: Count) -> Count:
    sys.exit(3)


async def leave_process_async(state: Count) -> Count:
    raise SystemExit(4)


class Unusual(BaseException):
    pass


def fail_unusually(state: Count) -> Count:
    raise Unusual("no Exception at all")


failing_unusually = chain(fail_unusually).compile()
exiting = chain(leave_process).compile()
exiting_async = chain(leave_process_async).compile()


class Chat(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


async def reply(state: Chat) -> Chat:
    model = GenericFakeChatModel(messages=iter([AIMessage(content="hello to you", id="a1")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


chat = chain(reply, state=Chat).compile()


def progress(state: Count) -> Count:
    write = get_stream_writer()
    write({"percent": 50})
    write("nearly")
    return {"n": 1}


custom = chain(progress).compile()


def inner_one(state: Count) -> Count:
    return {"n": state["n"] + 100, "log": ["inner"]}


child = chain(inner_one).compile()


parent = StateGraph(Count)
parent.add_node("child", child)
parent.add_edge(START, "child")
parent = parent.compile()

forgetting = StateGraph(Count)
forgetting.add_node("child", chain(inner_one).compile(checkpointer=False))
forgetting.add_edge(START, "child")
forgetting = forgetting.compile()


def visit(state: Count) -> Count:
    return {"log": ["visit"]}


remembering_parent = StateGraph(Count)
remembering_parent.add_node("child", chain(visit).compile(checkpointer=True))
remembering_parent.add_edge(START, "child")
remembering_parent = remembering_parent.compile()

asking_parent = StateGraph(Count)
asking_parent.add_node("child", asking)
asking_parent.add_edge(START, "child")
asking_parent = asking_parent.compile()


async def call_child_blocking(state: Count) -> Count:
    # Bad manners, but it works elsewhere: the event loop waits for the sub-graph's saves.
    return child.invoke({"n": state["n"], "log": []})


blocking_parent = chain(call_child_blocking).compile()


def call_child_in_thread(state: Count) -> Count:
    return child.invoke({"n": state["n"], "log": []})


threaded_parent = chain(call_child_in_thread).compile()


@task
def double(n: int) -> int:
    return n * 2


@entrypoint()
async def functional(n: int) -> int:
    return await double(n) + 1


async def wait_long(state: Count) -> Count:
    print("waiting", flush=True)
    await asyncio.sleep(30)
    return {"n": 1}


def block_long(state: Count) -> Count:
    print("blocking", flush=True)
    while not Path(state["log"][0]).exists():
        time.sleep(0.02)
    return {"n": 1}


async def swallow_cancel(state: Count) -> Count:
    print("swallowing", flush=True)
    while not Path(state["log"][0]).exists():
        try:
            await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            pass
    return {"n": 1}


async def step(state: Count) -> Count:
    await asyncio.sleep(0.05)
    return {"n": state["n"] + 1}


stepping = StateGraph(Count)
stepping.add_node("step", step)
stepping.add_edge(START, "step")
stepping.add_conditional_edges("step", lambda state: "step" if state["n"] < 20 else END)
stepping = stepping.compile()

waiting = chain(one, wait_long).compile()
blocking = chain(block_long).compile()
swallowing = chain(swallow_cancel).compile()


class Town(BaseModel):
    city: str


def fill(state: dict) -> dict:
    return {"town": Town(city="Bern"), "raw": b"abc", "seen": {1}, "odd": [float("nan"), 2**63]}


class Mixed(TypedDict, total=False):
    town: Town
    raw: bytes
    seen: set
    odd: list


mixed = chain(fill, state=Mixed).compile()


def talk(state: Count) -> Count:
    logging.getLogger("agent").warning("logged %s", state["n"])
    for part in range(3):
        print(f"run {state['n']} line {part}")
        time.sleep(0.005)
    print("no line end", end="")
    sys.stderr.write("to stderr\n")
    return {"n": state["n"]}


async def talk_async(state: Count) -> Count:
    await asyncio.to_thread(print, f"thread of {state['n']}", end="")
    return {"n": state["n"]}


talking = chain(talk, talk_async).compile()


def long_line(state: Count) -> Count:
    print("x" * 150_000)
    return {"n": 1}


long_lined = chain(long_line).compile()


def grow(state: Count) -> Count:
    return {"log": ["y" * 400_000]}


growing = chain(grow).compile()


def fan(state: Count) -> Any:
    return [Send("ask_one", {"n": i, "log": []}) for i in range(2)]


def ask_one(state: Count) -> Count:
    return {"log": [f"{state['n']}:{interrupt(state['n'])}"]}


fanning = StateGraph(Count)
fanning.add_node("ask_one", ask_one)
fanning.add_conditional_edges(START, fan, ["ask_one"])
fanning = fanning.compile()


def route(state: Count) -> Command:
    return Command(update={"log": ["route"]}, goto="two")


routed = StateGraph(Count)
routed.add_node("route", route, destinations=("two",))
routed.add_node("two", two)
routed.add_edge(START, "route")
routed = routed.compile()


async def remember(state: Count, *, store: BaseStore) -> Count:
    await store.aput(("facts", "sky"), "colour", {"is": "blue"})
    item = await store.aget(("facts", "sky"), "colour")
    found = await store.asearch(("facts",))
    spaces = await store.alist_namespaces()
    return {"log": [item.value["is"], found[0].key, "/".join(spaces[0])]}


remembering = chain(remember).compile()


def only_n(state: Count) -> Count:
    return {"n": 2}


widen_once = chain(only_n).compile()
first_message = HumanMessage("hi", id="h1")
