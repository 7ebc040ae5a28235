"""How many tokens a model call took, in one form for all providers."""

from typing import Any

from .projection import bounded

# LangChain's own names, and those of OpenAI.
_COUNTS = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "total_tokens": "total_tokens",
}


def usage_of(reported: Any) -> dict[str, Any] | None:
    """Usage in the form of LangChain's `usage_metadata`, with its details; None without counts."""
    usage = bounded(reported)
    if not isinstance(usage, dict):
        return None
    counts = {name: usage.get(name, usage.get(other)) for name, other in _COUNTS.items()}
    counts = {name: count for name, count in counts.items() if isinstance(count, (int, float))}
    if not counts:
        return None
    counts.setdefault(
        "total_tokens", counts.get("input_tokens", 0) + counts.get("output_tokens", 0)
    )
    details = {name: value for name, value in usage.items() if name.endswith("_token_details")}
    return {"input_tokens": 0, "output_tokens": 0, **counts, **details}
