"""What the document cannot express: which agents there are, and what is not supported."""

import json
import os
from typing import Any

import schemathesis


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    run = document["components"]["schemas"]["RunCreate"]["properties"]
    run["agent_id"]["enum"] = json.loads(os.environ["DOCUMENT_AGENTS"])


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case, **_: Any) -> None:
    """There are no webhooks: nearly every run would be refused."""
    if isinstance(case.body, dict) and isinstance(case.body.get("webhook"), str):
        del case.body["webhook"]
