"""Every form in which a graph can be exported, and what is taken for one by mistake."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from typing import TYPE_CHECKING, Annotated, Any

from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime
    from langgraph_sdk.runtime import ServerRuntime


class State(TypedDict, total=False):
    log: Annotated[list[Any], operator.add]


def build(*words: Any) -> StateGraph:
    def say(state: State) -> State:
        return {"log": list(words)}

    return StateGraph(State).add_node("say", say).add_edge(START, "say")


uncompiled = build("uncompiled")
named = build("named").compile(name="Named")


def plain() -> Any:
    return build("plain").compile()


async def with_config(config: RunnableConfig) -> Any:
    configurable = config["configurable"]
    return build(configurable.get("who"), configurable["__is_for_execution__"])


def with_node(config: RunnableConfig) -> Any:
    name = config["configurable"].get("node", "other")
    return StateGraph(State).add_node(name, lambda _: {}).add_edge(START, name)


async def with_server_runtime(runtime: ServerRuntime[dict]) -> Any:
    run = runtime.execution_runtime
    if run is not None:
        await runtime.store.aput(("forms",), "seen", {"by": run.context})
    return build(runtime.access_context, run and run.context, runtime.user)


async def with_store_everywhere(runtime: ServerRuntime) -> Any:
    await runtime.store.aget(("forms",), "seen")
    return build("store")


def with_user(runtime: ServerRuntime) -> Any:
    user = runtime.ensure_user()
    return build(user.identity, user["team"], user.display_name, user.is_authenticated)


def with_both(runtime: ServerRuntime, config: RunnableConfig) -> Any:
    return build(runtime.access_context, config["configurable"].get("who"))


def with_runtime(runtime: Runtime) -> Any:
    return build(type(runtime).__name__, runtime.context)


async def by_get_config() -> Any:
    from langgraph.config import get_config, get_store

    found = await get_store().aget(("nothing",), "there")
    return build(get_config()["configurable"]["who"], found)


opened: list[str] = []


@contextlib.asynccontextmanager
async def managed(config: RunnableConfig):
    opened.append("open")
    try:
        yield build(*opened)
    finally:
        opened.append("closed")


@contextlib.contextmanager
def managed_sync():
    yield build("managed")


class Opener:
    async def __aenter__(self) -> Any:
        return build("opened by a class")

    async def __aexit__(self, *_: Any) -> None:
        pass


partial = functools.partial(lambda word, config: build(word), "partial")


class Maker:
    def make(self, config: Any) -> Any:
        return build("method")


method = Maker().make


@entrypoint()
async def any_input(value: Any) -> Any:
    return value


class Opaque:
    """Nothing that has a JSON schema."""


@entrypoint()
async def opaque_input(values: list[Opaque]) -> Any:
    return values


@task
def a_task(value: Any) -> Any:
    return value


number = 5
module = math
coroutine_function = with_config


def generator():
    yield build("generator")


async def async_generator():
    yield build("async generator")


def three(a: Any, b: Any, c: Any) -> Any:
    return build()


def two(a: Any, b: Any) -> Any:
    return build()


async def make() -> Any:
    return build()


coroutine = make()
opener = Opener()


def returns_nothing() -> None:
    pass


def returns_values() -> Any:
    return {"log": []}


def raises() -> Any:
    raise LookupError("no key is set")
