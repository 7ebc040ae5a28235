"""A chat agent: one node, and a state that is a list of messages.

A thread keeps the conversation. Every run adds the new messages to those of the runs before.
"""

from langgraph.graph import END, START, MessagesState, StateGraph

from model import load_model

model = load_model()


def reply(state: MessagesState) -> MessagesState:
    """Answers with the whole conversation in view."""
    return {"messages": [model.invoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("reply", reply)
    .add_edge(START, "reply")
    .add_edge("reply", END)
    .compile()
)
