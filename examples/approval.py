"""A refund that may need a person: the agent stops with a question and continues with the answer.

Nothing runs and nothing is held in memory while it waits. The answer can come in a minute or next
month.
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

LIMIT = 100
"""Up to this amount no person is asked."""


class Refund(TypedDict, total=False):
    order: str
    amount: float
    approved: bool
    approved_by: str
    result: str


def who_decides(state: Refund) -> Literal["wave_through", "ask"]:
    return "wave_through" if state["amount"] <= LIMIT else "ask"


def wave_through(state: Refund) -> Refund:
    """Small amounts need no approval."""
    return {"approved": True, "approved_by": "rule"}


def ask(state: Refund) -> Refund:
    """Stops the run with a question. When it is resumed, `interrupt` returns the answer."""
    answer: Any = interrupt(
        {
            "question": f"Refund {state['amount']:.2f} for order {state['order']}?",
            "order": state["order"],
            "amount": state["amount"],
        }
    )
    # Either {"approved": true, "by": "Ada"}, or simply true.
    decision = answer if isinstance(answer, dict) else {"approved": answer}
    return {
        "approved": bool(decision.get("approved")),
        "approved_by": str(decision.get("by", "a person")),
    }


def settle(state: Refund) -> Refund:
    """Carries the decision out."""
    if state["approved"]:
        return {"result": f"Refunded {state['amount']:.2f} for order {state['order']}."}
    return {"result": f"No refund for order {state['order']}: {state['approved_by']} declined."}


graph = (
    StateGraph(Refund)
    .add_node("wave_through", wave_through)
    .add_node("ask", ask)
    .add_node("settle", settle)
    .add_conditional_edges(START, who_decides)
    .add_edge("wave_through", "settle")
    .add_edge("ask", "settle")
    .add_edge("settle", END)
    .compile()
)
