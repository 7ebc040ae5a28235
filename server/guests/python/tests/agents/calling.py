"""An agent that asks a model and calls tools, on the event loop and in a thread."""

from typing import Annotated

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph, add_messages
from typing_extensions import TypedDict


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    if city == "nowhere":
        raise ValueError("no such city")
    return f"sunny in {city}" + "!" * (200_000 if city == "far" else 0)


async def ask(state: State) -> State:
    usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    message = AIMessage(content="look it up", id="a1", usage_metadata=usage)
    model = GenericFakeChatModel(messages=iter([message]))
    return {"messages": [await model.ainvoke(state["messages"])]}


def look(state: State) -> State:
    city = state["messages"][0].content
    return {"messages": [("user", weather.invoke({"city": city}))]}


graph = StateGraph(State)
graph.add_node("ask", ask)
graph.add_node("look", look)
graph.add_edge(START, "ask")
graph.add_edge("ask", "look")
graph = graph.compile()

outer = StateGraph(State)
outer.add_node("inside", graph)
outer.add_edge(START, "inside")
outer = outer.compile()
