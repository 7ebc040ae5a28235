"""What the document cannot express: which agents and threads there are, how long a test waits."""

import itertools
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

import schemathesis

sys.path.insert(0, str(Path(__file__).parent))
from langgraph_document import widen
from record_requests import record

AGENTS: list[str] = json.loads(os.environ["DOCUMENT_AGENTS"])
# Threads with a run each: {"thread_id": …, "run_id": …, "checkpoint_id": …, "cron_id": …}.
THREADS: list[dict[str, str]] = json.loads(os.environ["DOCUMENT_THREADS"])
calls = itertools.count()
requests = Path(os.environ["DOCUMENT_REQUESTS"]).open("a")  # noqa: SIM115 -- until the end


@schemathesis.hook
def before_load_schema(_context: schemathesis.HookContext, document: dict[str, Any]) -> None:
    widen(document)
    schemas = document["components"]["schemas"]
    for name in ("RunCreateStateful", "RunCreateStateless", "CronCreate", "ThreadCronCreate"):
        schemas[name]["properties"]["assistant_id"] = {"type": "string", "enum": AGENTS}
    schemas["AssistantCreate"]["properties"]["graph_id"]["enum"] = AGENTS
    schemas["AssistantVersionChange"]["properties"]["version"]["enum"] = [1]
    for name in ("CronCreate", "CronPatch", "ThreadCronCreate"):
        members = schemas[name]["properties"]
        members["schedule"]["enum"] = ["0 0 1 1 *"]
        members["timezone"]["enum"] = ["UTC", "Europe/Berlin"]
    item = schemas["StorePutRequest"]["properties"]
    item["namespace"] = {"type": "array", "items": {"enum": ["acme"]}, "minItems": 1}
    item["key"]["enum"] = ["theme"]
    for name in ("RunCreateStateful", "RunCreateStateless"):
        schemas[name]["properties"]["input"]["type"] = ["object", "null"]


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case, **_: Any) -> None:
    """Generated ids name nothing: two requests of three are about a thread that is there."""
    begin_at_once(case.body)
    for run in case.body if isinstance(case.body, list) else []:
        begin_at_once(run)
    number = next(calls)
    if number % 3 == 0 or case.method.upper() == "DELETE":
        return
    known = THREADS[number % len(THREADS)]
    for name, value in (case.path_parameters or {}).items():
        if name in known and is_uuid(value):
            case.path_parameters[name] = known[name]
        if name == "assistant_id" and is_uuid(value):
            case.path_parameters[name] = AGENTS[number % len(AGENTS)]


def begin_at_once(body: Any) -> None:
    """A run that may begin a year from now: its client would wait as long."""
    if isinstance(body, dict) and isinstance(body.get("after_seconds"), (int, float)):
        body["after_seconds"] = 0


def is_uuid(value: Any) -> bool:
    try:
        uuid.UUID(str(value))
    except ValueError:
        return False
    return True


@schemathesis.hook
def after_call(_context: schemathesis.HookContext, case: schemathesis.Case, response: Any) -> None:
    record(case, response, requests)
