"""Agents of messages: a model, a model with tools, what happens to lists of messages."""

from dataclasses import dataclass

from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import RemoveMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import ToolNode, tools_condition
from model import Scripted
from pydantic import BaseModel


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@tool
def fail(reason: str) -> str:
    """Fails."""
    raise ValueError(reason)


def answer(state: MessagesState) -> dict:
    return {"messages": [Scripted().invoke(state["messages"])]}


async def answer_async(state: MessagesState) -> dict:
    return {"messages": [await Scripted().ainvoke(state["messages"])]}


chat = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile()
chat_async = (
    StateGraph(MessagesState).add_node("answer", answer_async).add_edge(START, "answer").compile()
)


def call_model(state: MessagesState) -> dict:
    return {"messages": [Scripted().bind_tools([add, fail]).invoke(state["messages"])]}


tools = (
    StateGraph(MessagesState)
    .add_node(call_model)
    .add_node("tools", ToolNode([add, fail], handle_tool_errors=True))
    .add_edge(START, "call_model")
    .add_conditional_edges("call_model", tools_condition)
    .add_edge("tools", "call_model")
    .compile(name="Tools")
)

created = create_agent(Scripted(), [add, fail], system_prompt="Be short.")


@dataclass
class Person:
    """Whom the agent talks to."""

    name: str = "unnamed"


@tool
def greet(word: str, runtime: ToolRuntime[Person]) -> str:
    """Greets the user of the agent."""
    return f"{word}, {runtime.context.name}"


created_with_context = create_agent(Scripted(), [greet], context_schema=Person)


class Sum(BaseModel):
    """What is known."""

    a: int
    b: int


structured = create_agent(Scripted(), [add], response_format=Sum)


def forget(state: MessagesState) -> dict:
    """Keeps the last two messages, or none on request."""
    messages = state["messages"]
    if messages[-1].text == "You said: forget everything":
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]}
    return {"messages": [RemoveMessage(id=one.id) for one in messages[:-2]]}


forgetting = (
    StateGraph(MessagesState)
    .add_node(answer)
    .add_node(forget)
    .add_edge(START, "answer")
    .add_edge("answer", "forget")
    .compile()
)
