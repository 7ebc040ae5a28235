"""What became of a node or a call that raised."""

from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand

from .errors import cut, text_of
from .langgraph_library import interrupts_to_list


def outcome_of(error: BaseException) -> tuple[str, Any, dict[str, str] | None]:
    """Status, output and error: LangGraph also raises to stop, and to go on elsewhere."""
    given = error.args[0] if error.args else None
    if isinstance(error, GraphInterrupt):
        asked = interrupts_to_list(given) if isinstance(given, (list, tuple)) else []
        return "interrupted", {"__interrupt__": asked}, None
    if isinstance(error, GraphBubbleUp):
        return "completed", given if isinstance(error, ParentCommand) else None, None
    return "error", None, {"type": type(error).__name__, "message": cut(text_of(error))}
