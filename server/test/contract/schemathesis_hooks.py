"""What no document can say of every service: the agents of the examples take objects alone."""

from typing import Any

import schemathesis


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    run = document["components"]["schemas"]["RunCreate"]
    run["properties"]["input"]["type"] = ["object", "null"]
