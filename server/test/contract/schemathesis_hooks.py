"""What no document can express: what the agents of the examples take, and how long a test waits."""

from typing import Any

import schemathesis


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    run = document["components"]["schemas"]["RunCreate"]
    run["properties"]["input"]["type"] = ["object", "null"]


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case, **_: Any) -> None:
    """A run that may begin a year from now begins at once: its client would wait as long."""
    body = case.body
    if not isinstance(body, dict) or isinstance(delay := body.get("after_seconds"), bool):
        return
    if isinstance(delay, (int, float)) and 0 <= delay <= 31_536_000:
        body["after_seconds"] = 0
