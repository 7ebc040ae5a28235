"""Agents whose model is called again outside of runs; js/test/agents/models.ts has them too."""

import asyncio
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph


class EchoModel(BaseChatModel):
    """Returns what it was called with."""

    temperature: float = 0.0
    secret: str = "none"

    @property
    def _llm_type(self) -> str:
        return "echo"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": "echo-1", "temperature": self.temperature}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        last = messages[-1].content
        if last == "fail":
            raise ConnectionError("The provider has no credit left.")
        print(f"asked for {last}")
        given = {**self._identifying_params, **kwargs, "stop": stop}
        content = (
            f"{self.secret}: {[(m.type, m.content) for m in messages]} {sorted(given.items())}"
        )
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        message = AIMessage(content=content, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


class SlowModel(EchoModel):
    """Never responds."""

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        print("waiting", flush=True)
        try:
            await asyncio.sleep(600)
        finally:
            print("left", flush=True)
        raise AssertionError


def graph_of(asked: Any) -> Any:
    async def ask(state: MessagesState) -> MessagesState:
        return {"messages": [await asked(state)]}

    return StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile()


warm = EchoModel(temperature=0.7, secret="warm")
cold = EchoModel(temperature=0.1, secret="cold")
bound = cold.bind(tools=[{"name": "look"}], stop=["END"])
slow = SlowModel()

graph = graph_of(lambda state: bound.ainvoke(state["messages"]))


class NodesModel(EchoModel):
    """Made by a node for itself."""


passing = graph_of(lambda state: NodesModel().ainvoke(state["messages"]))


class MadeModel(EchoModel):
    """Made with a graph."""


def factory() -> Any:
    model = MadeModel(secret="made")
    return graph_of(lambda state: model.ainvoke(state["messages"]))
