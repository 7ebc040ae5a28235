"""What LangGraph's server (langgraph-api 0.16.7) answers itself, but has not in its own document.

Each function is a row of docs/compatibility.md. Schemas become only so much wider: everything else
is checked.
"""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

METHODS = {"get", "put", "post", "delete", "patch"}


def widen(document: Json) -> None:
    schemas: Json = document["components"]["schemas"]
    for path, method, operation in operations(document):
        missing_statuses(path, method, operation["responses"])
        streams_are_events(operation["responses"])
    null_without_value(document, schemas)
    selected_members(schemas)
    bodies_of_their_own(document)


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def missing_statuses(path: str, method: str, responses: Json) -> None:
    """204 of deletions, 202 and 204 of cancellations, 404 and 409 of what is about one thing."""
    if method == "delete":
        responses["204"] = {"description": "It is gone."}
    if path.endswith("/cancel"):
        responses["202"] = {"description": "It will stop."}
        responses["204"] = {"description": "It has stopped."}
    if "{" in path:
        responses.setdefault("404", {"description": "There is no such thing."})
        responses.setdefault("409", {"description": "Its thread is busy."})


def streams_are_events(responses: Json) -> None:
    """The document has one text for a whole stream; each of its events is JSON."""
    stream = responses.get("200", {}).get("content", {}).get("text/event-stream")
    if stream is not None:
        stream["schema"] = {}


def null_without_value(document: Json, schemas: Json) -> None:
    """Members without a value are null, and so is an item that is missing."""
    graphs = ("GraphSchema", "GraphSchemaNoId")
    for name in ("Thread", "ThreadState", "CheckpointConfig", "Cron", *graphs):
        for member in schemas[name]["properties"].values():
            nullable(member)
    # Each of them was widened above: its own schema comes first.
    tasks = schemas["ThreadState"]["properties"]["tasks"]["anyOf"][0]
    for member in tasks["items"]["properties"].values():
        nullable(member)
    thing = document["paths"]["/store/items"]["get"]["responses"]["200"]["content"]
    schema = thing["application/json"]["schema"]
    thing["application/json"]["schema"] = {"anyOf": [schema, {"type": "null"}]}


def nullable(schema: Json) -> None:
    was = dict(schema)
    schema.clear()
    schema["anyOf"] = [was, {"type": "null"}]


def selected_members(schemas: Json) -> None:
    """`select` leaves members out; a version of an assistant has no `updated_at`."""
    for name in ("Thread", "Run", "Assistant", "Cron"):
        schemas[name].pop("required", None)


def bodies_of_their_own(document: Json) -> None:
    """
    Namespaces are in an object, refused commands have the body of every error, a JSON-RPC id is
    what it was, and `/info` describes this service. MCP has no sessions: GET and DELETE are 405.
    """
    del document["paths"]["/mcp/"]["get"], document["paths"]["/mcp/"]["delete"]
    info = document["paths"]["/info"]["get"]["responses"]["200"]["content"]
    info["application/json"]["schema"]["required"] = ["version", "flags"]
    responses = document["paths"]["/store/namespaces"]["post"]["responses"]
    listed = responses["200"]["content"]["application/json"]
    listed["schema"] = {
        "type": "object",
        "required": ["namespaces"],
        "properties": {"namespaces": listed["schema"]},
    }
    del document["paths"]["/threads/{thread_id}/commands"]["post"]["responses"]["400"]["content"]
    a2a = document["paths"]["/a2a/{assistant_id}"]["post"]["responses"]["200"]["content"]
    a2a["application/json"]["schema"]["properties"]["id"] = {}
